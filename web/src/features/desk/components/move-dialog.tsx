/** Moves a session to a free time, also of another practitioner: name and time stand on the button. */
import { useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { ErrorNotice } from '@/components/ui/error-notice';
import { RadioGroup } from '@/components/ui/radio-group';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { MovedBy, StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import type { Practitioner } from '@/gen/catalogue/v1/catalogue_service_pb';
import { errorReason } from '@/lib/errors';
import { toInstant } from '@/lib/instant';
import { usePracticeZone, useService } from '@/lib/practice';
import { localDate, toDate } from '@/lib/time';
import { useFromDate } from '../hooks/use-from-date';
import { useMoveTimes, useMoving } from '../hooks/use-moving';
import { useMember } from '../member';
import { dayAfter, type SessionRow } from '../model/day';
import { moveRefusalWords, needsReason, reasonError } from '../model/move-words';
import { clientName } from '../model/staff-booking';
import { timeWords } from '../model/time-words';
import { CommandNotice } from './command-notice';
import { ReasonField } from './reason-field';
import { TimeChoice } from './time-choice';

type MoveDialogProps = { row: SessionRow; onClose: () => void; onCheck: () => void };

const WISHES = [
  { value: String(MovedBy.CUSTOMER_ASKED), label: 'The client' },
  { value: String(MovedBy.PRACTICE), label: 'The practice' },
];

/** Days before the session's own that are shown at first. */
const DAYS_BEFORE = 6;

/** When the session starts by what was read just now. */
function startIn(booking: Booking | undefined, number: number): Date | undefined {
  const startsAt = booking?.sessions[number - 1]?.startsAt;
  return startsAt && toDate(startsAt);
}

/** Both times, where it was moved since the row was shown. */
function Changed({ was, is }: { was: Date; is: Date }) {
  const zone = usePracticeZone();
  return (
    <Alert tone="warn" live title={`It is at ${timeWords(is, zone)} now`}>
      It was at {timeWords(was, zone)} when you opened this. Choose again.
    </Alert>
  );
}

function Unreadable({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (!error) return null;
  const words = moveRefusalWords(errorReason(error));
  if (!words) return <ErrorNotice error={error} onRetry={onRetry} />;
  return (
    <Alert tone="error" live title={words.title}>
      {words.message}
    </Alert>
  );
}

/** The others that may give it. A practitioner has the own calendar alone, and gives it to no other. */
function useOthers({ serviceId, sessions, practitionerId }: Booking): readonly Practitioner[] {
  const { role } = useMember();
  const people = useService(serviceId)?.practitioners ?? [];
  const may = sessions.length === 1 && role !== StaffRole.PRACTITIONER;
  return may ? people.filter((one) => one.practitionerId !== practitionerId) : [];
}

type Who = {
  movedBy: MovedBy;
  /** Another practitioner; empty where it stays. */
  practitionerId: string;
  reason: string;
};

type WhoFieldsProps = {
  booking: Booking;
  others: readonly Practitioner[];
  who: Who;
  onChange: (who: Who) => void;
  tried: boolean;
};

/** Whose wish it is, the practitioner from then on, and why where that is not the client's wish alone. */
function WhoFields({ booking, others, who, onChange, tried }: WhoFieldsProps) {
  return (
    <>
      <RadioGroup
        legend="Who wants it"
        name="by"
        options={WISHES}
        value={String(who.movedBy)}
        onChange={(value) => onChange({ ...who, movedBy: Number(value) })}
      />
      {others.length > 0 ? (
        <RadioGroup
          legend="With"
          name="practitioner"
          options={[
            { value: '', label: booking.practitionerName },
            ...others.map((one) => ({ value: one.practitionerId, label: one.name })),
          ]}
          value={who.practitionerId}
          onChange={(practitionerId) => onChange({ ...who, practitionerId })}
        />
      ) : null}
      {needsReason(who.movedBy, who.practitionerId) ? (
        <ReasonField
          value={who.reason}
          onChange={(reason) => onChange({ ...who, reason })}
          tried={tried}
        />
      ) : null}
    </>
  );
}

/** The days and times of the practitioner that is chosen, and what is chosen of them. */
function useChoice(row: SessionRow, practitionerId: string) {
  const { number, startsAt: was } = row;
  const { timeZone } = usePracticeZone();
  const { fromDate, ...turns } = useFromDate(dayAfter(localDate(was, timeZone), -DAYS_BEFORE));
  const [date, setDate] = useState('');
  const [start, setStart] = useState('');
  const times = useMoveTimes(row, { fromDate, practitionerId });
  const { data, error, refetch, isPlaceholderData } = times;
  const days = isPlaceholderData ? undefined : data?.days;
  const offered = days?.flatMap(({ parts }) => parts.flatMap((part) => part.times)) ?? [];

  function choose(day: string, chosen: string) {
    setDate(day);
    setStart(chosen);
  }

  return {
    from: startIn(data?.booking, number) ?? was,
    to: offered.find(({ startsAt }) => toInstant(startsAt) === start)?.startsAt,
    error,
    refetch,
    choose,
    shown: { ...turns, days, date, start },
  };
}

/** What is shown and chosen, and the command. */
function useMove({ row, onClose, onCheck }: MoveDialogProps) {
  const others = useOthers(row.booking);
  const [who, setWho] = useState<Who>({
    movedBy: MovedBy.CUSTOMER_ASKED,
    practitionerId: '',
    reason: '',
  });
  const [tried, setTried] = useState(false);
  const { from, to, error, refetch, choose, shown } = useChoice(row, who.practitionerId);
  const moving = useMoving(row, { onDone: onClose, onUndo: onCheck });
  const asksWhy = needsReason(who.movedBy, who.practitionerId);

  function chooseTime(day: string, chosen: string) {
    moving.reset();
    choose(day, chosen);
  }

  function choosePeople(next: Who) {
    // Another practitioner has other times.
    if (next.practitionerId !== who.practitionerId) chooseTime('', '');
    setWho(next);
  }

  function move(start: Date) {
    setTried(true);
    if (asksWhy && reasonError(who.reason)) return;
    moving.run({ ...who, from, to: start, reason: asksWhy ? who.reason.trim() : '' });
  }

  return {
    ...{ from, to, error, moving, move },
    /** The practitioner from then on, where that changes. */
    other: others.find((one) => one.practitionerId === who.practitionerId),
    people: { booking: row.booking, others, who, tried, onChange: choosePeople },
    choice: {
      ...shown,
      onDate: (day: string) => chooseTime(day, ''),
      onStart: (chosen: string) => chooseTime(shown.date, chosen),
    },
    check: () => {
      moving.reset();
      onCheck();
      void refetch();
    },
  };
}

export function MoveDialog(props: MoveDialogProps) {
  const { row, onClose } = props;
  const { booking, startsAt: was } = row;
  const zone = usePracticeZone();
  const { from, to, error, moving, move, other, people, choice, check } = useMove(props);
  const isChanged = from.getTime() !== was.getTime();
  const isSaid = isChanged && moving.error && errorReason(moving.error) === 'CHANGED_SINCE';
  const withWhom = other ? ` with ${other.name}` : '';

  return (
    <Dialog
      open
      sheet
      onClose={onClose}
      title={<span dir="auto">Move for {clientName(booking)}</span>}
      actions={
        <>
          {to && !error ? (
            <Button busy={moving.busy} onClick={() => move(to)}>
              <span dir="auto">
                Move {clientName(booking)} to {timeWords(to, zone)}
                {withWhom}
              </span>
            </Button>
          ) : null}
          <Button variant="secondary" onClick={onClose}>
            Keep the time
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <p className="font-semibold numeric">
          Now: {timeWords(from, zone)} {zone.label}
        </p>
        {isChanged ? <Changed was={was} is={from} /> : null}
        <WhoFields {...people} />
        <Unreadable error={error} onRetry={check} />
        {error ? null : <TimeChoice {...choice} />}
        <CommandNotice
          error={isSaid ? null : moving.error}
          notSure={moving.notSure}
          onCheck={check}
          wordsOf={moveRefusalWords}
        />
        <p className="text-sm text-ink-2">The client is told by mail. Price and payment stay.</p>
      </div>
    </Dialog>
  );
}
