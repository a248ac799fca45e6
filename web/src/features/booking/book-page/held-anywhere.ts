/**
 * Which booking this browser holds, for a client who closed the browser: only its id, which says
 * nothing to others and opens nothing without the client's session.
 */
const KEY = 'heldBooking';

export function readHeldAnywhere(): string {
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

export function writeHeldAnywhere(bookingId: string): void {
  try {
    if (bookingId) localStorage.setItem(KEY, bookingId);
    else localStorage.removeItem(KEY);
  } catch {
    // The mails of the booking lead back to it as well.
  }
}
