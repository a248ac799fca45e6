/** The message when the confirmation mail could not be sent. */
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { isOnWord } from './booking-state';
import { isFree } from './free-session';

export const MAIL_FAILED = 'Email Notification Issue';

/** A payment is mentioned only if it was seen. */
export function mailFailedMessage(booking: Booking): string {
  const trouble = "couldn't send the confirmation email. We'll contact you shortly.";
  return isOnWord(booking) || isFree(booking)
    ? `We ${trouble}`
    : `Payment successful, but we ${trouble}`;
}
