/** What became of a move that was not simply done. */
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { usePracticeZone } from '@/lib/practice';
import type { Schedule } from '../../shared/hooks/use-schedule';
import type { Moving } from '../hooks/use-moving';
import { endedTitle, orderWords, refusedWords } from '../move';
import { cancellingWords, shortTime } from '../refund-words';

type ForSession = { booking: Booking; sessionNumber: number };

type RefusedProps = ForSession & { schedule: Schedule; onTake: (instant: string) => void };

/** The chosen time is gone or does not fit: why, and the free ones that are closest to it. */
export function RefusedNotice({ booking, sessionNumber, schedule, onTake }: RefusedProps) {
  const zone = usePracticeZone();
  const { lost } = schedule;
  if (!lost) return null;
  const order = orderWords(booking, sessionNumber, zone);
  const { title, text } = refusedWords(lost.reason, shortTime(lost.at, zone), order);
  return (
    <Alert
      tone="warn"
      live
      title={title}
      action={lost.suggestions.map(({ instant, at }) => (
        <Button key={instant} variant="secondary" size="sm" onClick={() => onTake(instant)}>
          {shortTime(at, zone)}
        </Button>
      ))}
    >
      {text} {lost.suggestions.length > 0 ? 'Nearby times:' : 'Please choose another day or time.'}
    </Alert>
  );
}

/** It was moved elsewhere while it was shown here: both times. */
export function ChangedNotice({ was, is }: { was: Date; is: Date }) {
  const zone = usePracticeZone();
  return (
    <Alert tone="warn" live title={`It was moved meanwhile to ${shortTime(is, zone)}`}>
      It was at {shortTime(was, zone)} before. Nothing was moved here: please choose again.
    </Alert>
  );
}

type EndedProps = ForSession & {
  reason: string;
  now: number;
  /** Nothing where it can't be cancelled either. */
  onCancel: (() => void) | undefined;
};

/** It can't be moved at all: what is possible instead, with its sum. */
export function EndedNotice({ booking, sessionNumber, reason, now, onCancel }: EndedProps) {
  const zone = usePracticeZone();
  const session = booking.sessions[sessionNumber - 1];
  const cancelling = session && onCancel ? cancellingWords(booking, session, zone, now) : '';
  if (reason === 'CANCELLATION_PENDING') {
    return (
      <Alert tone="warn" live title={endedTitle(reason)}>
        Nothing was moved. Undo the cancellation first; then you can move it.
      </Alert>
    );
  }
  return (
    <Alert
      tone="warn"
      live
      title={endedTitle(reason)}
      action={
        onCancel ? (
          <Button variant="secondary" size="sm" onClick={onCancel}>
            Cancel it instead
          </Button>
        ) : null
      }
    >
      Nothing was moved. {cancelling ? `You can still cancel it. ${cancelling}.` : ''}
    </Alert>
  );
}

/** A failure of the command, whose answer may be lost. */
export function MoveFailed({ error, isLost }: Pick<Moving, 'error' | 'isLost'>) {
  if (error === undefined) return null;
  if (!isLost) return <ErrorNotice error={error} title="Nothing was moved" />;
  return (
    <div className="flex flex-col gap-3">
      {/* Without a retry of its own: nothing is moved before the button is pressed again. */}
      <ErrorNotice error={error} title="We don't know yet whether it is moved" />
      <p>Please press the button again. It is never moved twice.</p>
    </div>
  );
}
