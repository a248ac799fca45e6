import { useEffect, useRef } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { Money } from '@/gen/common/v1/money_pb';
import { usePractice } from '@/lib/practice';
import { isFocusLost } from '../focus-lost';
import type { Outcome, Outcomes } from '../hooks/use-outcome';
import { againPath } from '../own-booking';
import { cancelledWords, isSentBack } from '../refund-words';
import { PendingNotice } from './pending-notice';

type DoneProps = { booking: Booking; refund: Money | undefined; late: boolean };

function Done({ booking, refund, late }: DoneProps) {
  const { refundDaysText } = usePractice();
  const again = againPath(booking);
  const isSent = isSentBack(booking, refund);
  return (
    <Alert
      tone="ok"
      live
      title={cancelledWords(booking, refund)}
      action={
        again ? (
          <Button to={again} variant="secondary" size="sm">
            Book another time
          </Button>
        ) : null
      }
    >
      {late ? <p>It took effect just before you pressed Undo.</p> : null}
      {isSent ? (
        <p>
          It goes back to your original payment method. We write to you when it is sent, and it
          arrives within {refundDaysText} of that.
        </p>
      ) : null}
      <p>You are welcome back whenever it suits you.</p>
    </Alert>
  );
}

function OutcomeNotice({ booking, outcome }: { booking: Booking; outcome: Outcome }) {
  switch (outcome.name) {
    case 'done':
      return <Done booking={booking} refund={outcome.refund} late={outcome.late} />;
    case 'undone':
      return (
        <Alert tone="ok" live title="Nothing is cancelled">
          You undid it in time. Your {booking.package ? 'sessions take' : 'session takes'} place as
          before.
        </Alert>
      );
    default:
      return null;
  }
}

type CancellationNoticeProps = { booking: Booking; outcomes: Outcomes };

/** Where a booking's cancellation stands. It takes the focus of the button that was pressed and is gone. */
export function CancellationNotice({ booking, outcomes }: CancellationNoticeProps) {
  const { outcome, onUndone, onLate, onUnheard } = outcomes;
  const frame = useRef<HTMLDivElement>(null);
  const pending = booking.pendingCancellation;
  const isPending = pending !== undefined;
  const isShown = isPending || (outcome !== undefined && outcome.name !== 'begun');

  // biome-ignore lint/correctness/useExhaustiveDependencies: again when something else is shown.
  useEffect(() => {
    if (outcome && isFocusLost()) frame.current?.focus();
  }, [outcome, isPending]);

  if (!isShown) return null;
  return (
    <div ref={frame} tabIndex={-1} className="scroll-mt-24">
      {pending ? (
        <PendingNotice
          key={String(pending.takesEffectAt?.seconds)}
          booking={booking}
          pending={pending}
          onUndone={onUndone}
          onLate={onLate}
          onUnheard={onUnheard}
        />
      ) : null}
      {outcome && !pending ? <OutcomeNotice booking={booking} outcome={outcome} /> : null}
    </div>
  );
}
