/** Moves a session to a free time of its practitioner: who and when stand on the button. */
import { useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { ErrorNotice } from '@/components/ui/error-notice';
import { RadioGroup } from '@/components/ui/radio-group';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { MovedBy } from '@/gen/booking/v1/booking_staff_service_pb';
import { errorReason } from '@/lib/errors';
import { toInstant } from '@/lib/instant';
import { usePracticeZone } from '@/lib/practice';
import { localDate, toDate } from '@/lib/time';
import { useFromDate } from '../hooks/use-from-date';
import { useMoveTimes, useMoving } from '../hooks/use-moving';
import { dayAfter, type SessionRow } from '../model/day';
import { moveRefusalWords } from '../model/move-words';
import { clientName } from '../model/staff-booking';
import { timeWords } from '../model/time-words';
import { CommandNotice } from './command-notice';
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

/** What is shown and chosen, and the command. */
function useMove({ row, onClose, onCheck }: MoveDialogProps) {
  const { number, startsAt: was } = row;
  const { timeZone } = usePracticeZone();
  const first = dayAfter(localDate(was, timeZone), -DAYS_BEFORE);
  const { fromDate, ...turns } = useFromDate(first);
  const [date, setDate] = useState('');
  const [start, setStart] = useState('');
  const { data, error, refetch, isPlaceholderData } = useMoveTimes(row, fromDate);
  const moving = useMoving(row, { onDone: onClose, onUndo: onCheck });
  const from = startIn(data?.booking, number) ?? was;
  const days = isPlaceholderData ? undefined : data?.days;
  const offered = days?.flatMap(({ parts }) => parts.flatMap((part) => part.times)) ?? [];
  const to = offered.find(({ startsAt }) => toInstant(startsAt) === start)?.startsAt;

  function choose(day: string, chosen: string) {
    moving.reset();
    setDate(day);
    setStart(chosen);
  }

  return {
    from,
    to,
    error,
    moving,
    choice: {
      ...turns,
      ...{ days, date, start },
      onDate: (day: string) => choose(day, ''),
      onStart: (chosen: string) => choose(date, chosen),
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
  const [movedBy, setMovedBy] = useState<MovedBy>(MovedBy.CUSTOMER_ASKED);
  const { from, to, error, moving, choice, check } = useMove(props);
  const isChanged = from.getTime() !== was.getTime();
  const isSaid = isChanged && moving.error && errorReason(moving.error) === 'CHANGED_SINCE';

  return (
    <Dialog
      open
      sheet
      onClose={onClose}
      title={<span dir="auto">Move for {clientName(booking)}</span>}
      actions={
        <>
          {to && !error ? (
            <Button busy={moving.busy} onClick={() => moving.run({ from, to, movedBy })}>
              <span dir="auto">
                Move {clientName(booking)} to {timeWords(to, zone)}
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
        <RadioGroup
          legend="Who wants it"
          name="by"
          options={WISHES}
          value={String(movedBy)}
          onChange={(value) => setMovedBy(Number(value))}
        />
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
