import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { sessionTimes } from './booking-state';

function compact(at: Date): string {
  return at.toISOString().replace(/[-:]|\.\d+/g, '');
}

/**
 * An address that adds the session to a calendar on the web; none for a package, whose sessions are
 * all in the file. It names the practice and never the
 * service, because what a client seeks help for is private.
 */
export function googleCalendarUrl(booking: Booking, practice: string): string | undefined {
  const times = sessionTimes(booking);
  if (!times || booking.package) return undefined;
  const query = new URLSearchParams({
    action: 'TEMPLATE',
    text: `Session with ${practice}`,
    dates: `${compact(times.startsAt)}/${compact(times.endsAt)}`,
    ctz: booking.timeZone,
  });
  if (booking.location) query.set('location', booking.location);
  return `https://calendar.google.com/calendar/render?${query}`;
}
