import { useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import type { Flow } from '@/features/booking/booking-flow/hooks/use-flow';
import { useLatePayment } from '@/features/booking/booking-flow/hooks/use-late-payment';
import { choicesOf } from '@/features/booking/shared/choices';
import { paymentRows } from '@/features/booking/shared/components/booking-rows';
import { BookingSummary } from '@/features/booking/shared/components/booking-summary';
import { HoldTimer } from '@/features/booking/shared/components/hold-timer';
import { LateNotice } from '@/features/booking/shared/components/late-notice';
import { wantedPractitioner } from '@/features/booking/shared/held-booking';
import { useReleaseBooking } from '@/features/booking/shared/hooks/use-request-booking';
import { focusAfterWindow } from '@/features/booking/shared/hooks/use-step-focus';
import { PaymentPanel } from '@/features/payments/components/payment-panel';
import type { CheckoutAnswering } from '@/features/payments/hooks/use-checkout-answer';
import { usePaymentPanel } from '@/features/payments/hooks/use-payment-panel';
import { INVALID_PRICE, MISSING_INFORMATION } from '@/features/payments/payment-messages';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { formatPrice } from '@/lib/money';
import { usePractice } from '@/lib/practice';
import { toDate } from '@/lib/time';

type PaymentScreenProps = { flow: Flow; booking: Booking; answer: CheckoutAnswering };

/** What makes a booking impossible to pay for. */
function flawOf(booking: Booking): string | undefined {
  if (!booking.serviceId) return MISSING_INFORMATION;
  return booking.price && booking.price.minorUnits > 0n ? undefined : INVALID_PRICE;
}

function Payable({ flow, booking, answer }: PaymentScreenProps) {
  const { moves, reading, zone, draft } = flow;
  const { name } = usePractice();
  const release = useReleaseBooking();
  const [leaving, setLeaving] = useState(false);

  const verify = () => moves.push({ step: 'confirmation' });
  const model = usePaymentPanel({
    booking,
    practiceName: name,
    events: {
      onAnswer: (given) => {
        void answer.submit(given);
        verify();
        focusAfterWindow();
      },
      onPaid: verify,
      onBooking: reading.learn,
      onHoldEnded: reading.refetch,
    },
  });
  const { late, told, error, guard } = useLatePayment(booking, draft.lateConsents);

  async function back() {
    setLeaving(true);
    const wanted = wantedPractitioner(booking.bookingId);
    const released = await release(booking);
    moves.push({ ...choicesOf(booking, wanted), step: 'calendar-terms', bookingId: '' });
    if (released) reading.learn(released);
  }

  const until = booking.heldUntilAt;
  const before = (
    <>
      {until ? <HoldTimer until={toDate(until)} zone={zone} onEnd={reading.refetch} /> : null}
      {late ? <LateNotice late={late} told={told} error={error} /> : null}
      {model.state.order?.takesPayer ? (
        <AppLink
          to={`/receipt?b=${booking.bookingId}`}
          className="text-brand underline underline-offset-4"
        >
          Billing details
        </AppLink>
      ) : null}
    </>
  );
  return (
    <PaymentPanel
      model={{ ...model, pay: () => guard(model.pay) }}
      price={formatPrice(booking.price)}
      timer={before}
      onBack={() => void back()}
      leaving={leaving}
    />
  );
}

/** "Complete Your Payment" */
export function PaymentScreen(props: PaymentScreenProps) {
  const { flow, booking } = props;
  const flaw = flawOf(booking);
  return (
    <div className="flex flex-col gap-6 lg:grid lg:grid-cols-2 lg:items-start">
      <BookingSummary title="Booking Summary" rows={paymentRows(booking, flow.zone)} />
      {flaw ? (
        <Alert
          tone="error"
          live
          title={flaw}
          action={
            <Button to="/services" variant="secondary" size="sm">
              Back to the services
            </Button>
          }
        >
          This booking cannot be paid for. Nothing was charged.
        </Alert>
      ) : (
        <Payable {...props} />
      )}
    </div>
  );
}
