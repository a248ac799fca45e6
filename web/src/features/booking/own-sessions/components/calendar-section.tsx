/** A client's own sessions in another calendar: the address that it reads, and how to give it one. */
import { useCallback, useRef, useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { toast } from '@/components/ui/toast-store';
import { isSessionOver } from '@/lib/errors';
import { useCalendarTold } from '../hooks/use-calendar-told';
import { type CalendarAddress, useOwnCalendar, useRenewCalendar } from '../hooks/use-own-calendar';
import { CalendarChoice, PressFailed } from './calendar-choice';
import { RenewDialog, StopDialog } from './calendar-dialogs';
import { CalendarLoading } from './calendar-loading';

type MakeFormProps = { userId: string; onPress: () => void };

function MakeForm({ userId, onPress }: MakeFormProps) {
  const [details, setDetails] = useState(false);
  const { renew, busy, error, isLost } = useRenewCalendar(userId);

  function press() {
    onPress();
    renew(details);
  }

  return (
    <>
      <p>
        Your calendar can read your sessions from an address that is only yours, and follows when
        one is moved or cancelled.
      </p>
      <CalendarChoice details={details} onChange={setDetails} />
      <PressFailed
        {...{ error, isLost }}
        title="No address was made"
        lostTitle="We don't know yet whether the address was made"
      />
      <Button className="self-start" busy={busy} busyText="Making it…" onClick={press}>
        Make an address
      </Button>
    </>
  );
}

async function copy(address: string) {
  try {
    await navigator.clipboard.writeText(address);
    toast({ title: 'Copied' });
  } catch {
    toast({ title: 'It could not be copied', description: 'Mark the address and copy it.' });
  }
}

function HowTo() {
  return (
    <>
      <ul className="flex list-disc flex-col gap-2 pl-5">
        <li>
          <strong>Google Calendar</strong>, on a computer: press + beside Other calendars, then From
          URL, and paste the address.
        </li>
        <li>
          <strong>iPhone</strong>: in Calendar, press Calendars, Add Calendar, then Add Subscription
          Calendar, and paste the address.
        </li>
      </ul>
      <p>
        Calendars look only every few hours: a new, moved or cancelled session comes later there.
        This page is always right.
      </p>
    </>
  );
}

type Question = 'renew' | 'stop';

type AddressProps = { calendar: CalendarAddress; onAsk: (question: Question) => void };

function Address({ calendar: { path, details }, onAsk }: AddressProps) {
  const address = `${window.location.origin}${path}`;
  return (
    <>
      <div className="flex flex-col gap-3 rounded-card bg-sunken p-4">
        <p className="text-sm font-semibold">The address of your sessions, for your calendar</p>
        <p className="text-sm break-all select-all">{address}</p>
        <p className="text-sm">
          {details
            ? 'It shows them with service, practitioner and place.'
            : 'It shows only that you have a session.'}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button size="sm" variant="secondary" onClick={() => void copy(address)}>
            Copy
          </Button>
          <Button size="sm" variant="secondary" onClick={() => onAsk('renew')}>
            New address
          </Button>
          <Button size="sm" variant="secondary" onClick={() => onAsk('stop')}>
            Stop
          </Button>
        </div>
      </div>
      <Alert tone="warn" title="Anyone with this address sees the times of your sessions">
        {details ? 'And what they are, and with whom. ' : null}
        Give it to no calendar but your own. If others may have it, make a new one.
      </Alert>
      <HowTo />
    </>
  );
}

type Asked = { question: Question; calendar: CalendarAddress };

export function CalendarSection({ userId }: { userId: string }) {
  const frame = useRef<HTMLDivElement>(null);
  const { calendar, error, refetch } = useOwnCalendar(userId);
  const path = calendar?.path;
  const onPress = useCalendarTold(path, frame);
  const [asked, setAsked] = useState<Asked>();
  const onClose = useCallback(() => setAsked(undefined), []);

  const failed = error ? <ErrorNotice error={error} onRetry={refetch} /> : null;
  // What was read belongs to a session that has ended.
  if (isSessionOver(error)) return failed;
  const dialog = asked && { userId, isThere: asked.calendar.path === path, onPress, onClose };
  return (
    <div ref={frame} tabIndex={-1} className="flex scroll-mt-24 flex-col gap-4">
      {failed}
      {!calendar && !error ? <CalendarLoading /> : null}
      {calendar?.path === '' ? <MakeForm {...{ userId, onPress }} /> : null}
      {calendar?.path ? (
        <Address calendar={calendar} onAsk={(question) => setAsked({ question, calendar })} />
      ) : null}
      {dialog && asked.question === 'renew' ? (
        <RenewDialog {...dialog} calendar={asked.calendar} />
      ) : null}
      {dialog && asked.question === 'stop' ? <StopDialog {...dialog} /> : null}
    </div>
  );
}
