/** What a person may read out or quote of a booking, or of a call that failed. */

const BOOKING_ID = /^bkg_[0-9a-f]{32}$/;
const DIGITS = 8;

/** The end of a trace id as the logs have it, so that a search for it finds the whole. */
export function callReference(referenceId: string): string {
  return referenceId.slice(-DIGITS);
}

/**
 * The end of the booking's id, in capitals, as our mails name it too. The begin of an id is a time
 * and much the same for all bookings of a day.
 */
export function bookingReference(bookingId: string): string {
  return (BOOKING_ID.test(bookingId) ? bookingId.slice(-DIGITS) : bookingId).toUpperCase();
}
