/** Why a booking that ended has no receipt. */
import { type Booking, BookingState, PaymentState } from '@/gen/booking/v1/booking_service_pb';

function ofExpired({ checkoutOpened }: Booking): string {
  const ended = 'The time was released because no payment had reached us.';
  if (!checkoutOpened) return ended;
  return `${ended} Should yours still come, the booking itself says what becomes of it.`;
}

/** Of what was never taken to checkout nothing can have been paid. */
function ofCancelled({ checkoutOpened, paymentState }: Booking): string {
  const paid =
    paymentState === PaymentState.PAID ||
    paymentState === PaymentState.REFUNDING ||
    paymentState === PaymentState.REFUNDED ||
    paymentState === PaymentState.REFUND_FAILED;
  if (paid) return 'The session was cancelled before a receipt was written.';
  if (checkoutOpened || paymentState === PaymentState.CLAIMED) {
    return 'The session was cancelled, and no payment for it has reached us.';
  }
  return 'The time was given back before anything was paid.';
}

/** The reason, or nothing for a booking that has or can get a receipt. */
export function noReceiptReason(booking: Booking): string | undefined {
  switch (booking.state) {
    case BookingState.EXPIRED:
      return ofExpired(booking);
    case BookingState.PAID_UNPLACED:
      return (
        'The payment came after the time was gone, so no session was sold. All of the money goes ' +
        'back the way it was paid.'
      );
    case BookingState.CANCELLED:
      return ofCancelled(booking);
    case BookingState.RESCHEDULED:
      return 'The booking was moved to another time before a receipt was written.';
    default:
      return undefined;
  }
}
