import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { formatPrice } from '@/lib/money';
import {
  formatDate,
  formatOwnPlace,
  formatShortDate,
  formatTimeRange,
  toDate,
  type Zone,
} from '@/lib/time';
import { isOnline, sessionTimes } from '../booking-state';
import type { SummaryRow } from './booking-summary';

/** The dates of a package, one row for each. */
export function packageRows(booking: Booking, zone: Zone): SummaryRow[] {
  return booking.sessions.flatMap(({ startsAt, endsAt, cancelled }, index) => {
    if (!startsAt || !endsAt) return [];
    const [from, to] = [toDate(startsAt), toDate(endsAt)];
    const when = `${formatShortDate(from, zone)}, ${formatTimeRange(from, to, zone)}`;
    return [{ label: `Session ${index + 1}`, value: cancelled ? `${when} (cancelled)` : when }];
  });
}

/** What is booked and when. */
export function sessionRows(booking: Booking, zone: Zone): SummaryRow[] {
  const times = sessionTimes(booking);
  const rows: SummaryRow[] = [{ label: 'Service', value: booking.serviceTitle }];
  if (booking.package) {
    rows.unshift({ label: 'Package', value: booking.package.title });
    rows.push(...packageRows(booking, zone));
  } else if (times) {
    rows.push({ label: 'Date', value: formatDate(times.startsAt, zone) });
    rows.push({ label: 'Time', value: formatTimeRange(times.startsAt, times.endsAt, zone) });
    const own = isOnline(booking) ? formatOwnPlace(times.startsAt, zone) : undefined;
    if (own) rows.push({ label: 'Your time', value: own });
  }
  if (booking.practitionerName) rows.push({ label: 'With', value: booking.practitionerName });
  rows.push({ label: 'How', value: isOnline(booking) ? 'Online' : 'In person' });
  return rows;
}

/** The same with what it costs. */
export function paymentRows(booking: Booking, zone: Zone): SummaryRow[] {
  const price = formatPrice(booking.price);
  return [
    ...sessionRows(booking, zone),
    { label: 'Price', value: price },
    { label: 'Total', value: price, strong: true },
  ];
}
