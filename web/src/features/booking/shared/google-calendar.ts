import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { isOnline, sessionTimes } from './booking-state';

function compact(at: Date): string {
  return at.toISOString().replace(/[-:]|\.\d+/g, '');
}

/** The address of the page that leads to the session, for its owner who signs in. */
function joinPageOf(booking: Booking, site: string): string {
  return new URL(`/join/${booking.bookingId}`, site).href;
}

/**
 * An address that adds the session to a calendar on the web; none for a package, whose sessions are
 * all in the file. It names the practice and never the
 * service, because what a client seeks help for is private. The page that it leads to asks who
 * opens it; the room's address would be open to everyone who sees the calendar.
 */
export function googleCalendarUrl(
  booking: Booking,
  practice: string,
  site: string,
): string | undefined {
  const times = sessionTimes(booking);
  if (!times || booking.package) return undefined;
  const page = joinPageOf(booking, site);
  const query = new URLSearchParams({
    action: 'TEMPLATE',
    text: `Session with ${practice}`,
    dates: `${compact(times.startsAt)}/${compact(times.endsAt)}`,
    ctz: booking.timeZone,
    details: `How to join: ${page}`,
  });
  if (booking.location || isOnline(booking)) query.set('location', booking.location || page);
  return `https://calendar.google.com/calendar/render?${query}`;
}
