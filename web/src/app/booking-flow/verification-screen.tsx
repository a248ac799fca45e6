import type { Flow } from '@/features/booking/booking-flow/hooks/use-flow';
import { sessionRows } from '@/features/booking/shared/components/booking-rows';
import { SummaryList } from '@/features/booking/shared/components/booking-summary';
import { VerificationPanel } from '@/features/payments/components/verification-panel';
import type { CheckoutAnswering } from '@/features/payments/hooks/use-checkout-answer';
import { useVerification } from '@/features/payments/hooks/use-verification';
import { type Booking, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { formatPrice } from '@/lib/money';
import { bookingReference } from '@/lib/reference';

type VerificationScreenProps = { flow: Flow; booking: Booking; answer: CheckoutAnswering };

/** "Payment Verification" */
export function VerificationScreen({ flow, booking, answer }: VerificationScreenProps) {
  const { moves, reading, zone } = flow;
  const { bookingId, paymentState } = booking;
  const claimed = paymentState === PaymentState.CLAIMED;
  const verification = useVerification({ bookingId, idle: claimed, onNews: reading.refetch });
  const rows = [
    ...sessionRows(booking, zone),
    { label: 'Total', value: formatPrice(booking.price) },
  ];
  return (
    <VerificationPanel
      verification={verification}
      facts={{
        reference: bookingReference(bookingId),
        claimed: claimed || verification.claimed,
        attemptFailed: paymentState === PaymentState.FAILED,
        answerRefused: answer.refused !== undefined,
      }}
      summary={<SummaryList rows={rows} />}
      onPayAgain={() => moves.push({ step: 'payment' })}
    />
  );
}
