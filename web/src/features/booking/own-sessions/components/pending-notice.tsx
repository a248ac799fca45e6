import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import type { Booking, PendingCancellation } from '@/gen/booking/v1/booking_service_pb';
import { usePracticeZone } from '@/lib/practice';
import { formatTime, toDate } from '@/lib/time';
import { useServerNow } from '@/lib/use-server-now';
import { clockText } from '../../shared/hold-clock';
import { isUnheard, useUndo } from '../hooks/use-undo';
import { comesBackWords, sessionsWords } from '../refund-words';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** What a screen reader says beside the running clock: only in the last minute, and at the end. */
function timeToTell(leftMs: number): string {
  if (leftMs <= 0) return 'The cancellation takes effect now.';
  return leftMs <= MINUTE_MS ? 'You can undo this for one more minute.' : '';
}

type PendingNoticeProps = {
  booking: Booking;
  pending: PendingCancellation;
  onUndone: (booking: Booking) => void;
  onLate: () => void;
  onUnheard: () => void;
};

/** A cancellation under way, with the time that is left and the way back. */
export function PendingNotice({ booking, pending, ...ends }: PendingNoticeProps) {
  const { sessionNumber, refund, takesEffectAt } = pending;
  const zone = usePracticeZone();
  const now = useServerNow(SECOND_MS);
  const { undo, busy, error } = useUndo(booking, ends);
  if (!takesEffectAt) return null;
  const at = toDate(takesEffectAt);
  const left = Math.max(0, at.getTime() - now);
  const isDue = left === 0;
  const what = sessionsWords(booking, sessionNumber === 0 ? [] : [sessionNumber]);
  const several = booking.package !== undefined && sessionNumber === 0;
  return (
    <div className="flex flex-col gap-3">
      <Alert
        tone="warn"
        title={`${what} ${several ? 'are' : 'is'} being cancelled`}
        action={
          // To the end: whether it is too late, the server decides.
          <Button size="sm" busy={busy} busyText="Undoing…" onClick={undo}>
            Undo
          </Button>
        }
      >
        {isDue ? (
          <p>The cancellation takes effect now…</p>
        ) : (
          <>
            <p>
              It takes effect at <strong className="numeric">{formatTime(at, zone)}</strong>
              <span aria-hidden="true" className="numeric">
                {' '}
                · {clockText(left)} left
              </span>
              . Until then the time stays yours, and you can undo this.
            </p>
            <p>{comesBackWords(booking, refund)}</p>
          </>
        )}
        <p role="status" className="sr-only">
          {timeToTell(left)}
        </p>
      </Alert>
      {error ? (
        <div className="flex flex-col gap-3">
          <ErrorNotice
            error={error}
            title={isUnheard(error) ? "We don't know yet whether it is undone" : 'It is not undone'}
          />
          <p>Please press Undo again.</p>
        </div>
      ) : null}
    </div>
  );
}
