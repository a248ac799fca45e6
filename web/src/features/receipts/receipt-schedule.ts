/** When to look again for a receipt that is being written: soon, then ever later, then not at all. */
import { type Booking, BookingState, PaymentState } from '@/gen/booking/v1/booking_service_pb';

/** After the first look and each one that found nothing. */
export const LOOK_AGAIN_SECONDS: readonly number[] = [1, 2, 4, 8, 15];

const PLACED: ReadonlySet<BookingState> = new Set([
  BookingState.CONFIRMED,
  BookingState.MEETING_SCHEDULED,
  BookingState.COMPLETED,
  BookingState.NO_SHOW,
]);

/** Whether there will be a receipt within seconds: the booking is paid and not ended. */
export function isReceiptDue(booking: Booking): boolean {
  return PLACED.has(booking.state) && booking.paymentState === PaymentState.PAID;
}

/** How long to wait after so many looks, or nothing when it was looked often enough. */
export function nextLookMs(looks: number): number | undefined {
  const seconds = LOOK_AGAIN_SECONDS[looks - 1];
  return seconds === undefined ? undefined : seconds * 1000;
}
