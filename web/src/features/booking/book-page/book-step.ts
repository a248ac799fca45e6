/** Which step of /book is shown, from what the address asks for and what is known. */
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { isPlaced } from '../shared/booking-state';
import type { BookUrl } from './book-url';

export type BookStep = 'calendar' | 'consent' | 'auth' | 'details' | 'payment' | 'confirmation';

type Known = {
  url: BookUrl;
  /** The starts of all sessions that the address names; none where one of them is missing. */
  starts: readonly string[];
  /** The service of the address is offered, and so is its package, if it names one. */
  offered: boolean;
  signedIn: boolean;
  booking: Booking | undefined;
  /** A consent to today's terms is in force, or was signed on this page. */
  consented: boolean;
};

/**
 * The default step is the calendar. A time leads to the consent, then to the sign-in, then to the
 * details; a booking to its payment or its confirmation.
 */
export function bookStep({ url, starts, offered, signedIn, booking, consented }: Known): BookStep {
  if (url.bookingId) {
    if (!signedIn) return 'auth';
    return isPlaced(booking) ? 'confirmation' : 'payment';
  }
  if (!offered || starts.length === 0 || !url.step || url.cancelled) return 'calendar';
  if (url.step === 'auth' && !signedIn) return 'auth';
  if (!consented) return 'consent';
  return signedIn ? 'details' : 'auth';
}
