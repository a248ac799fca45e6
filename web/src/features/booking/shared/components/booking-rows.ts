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
function packageRows(booking: Booking, zone: Zone): SummaryRow[] {
  return booking.sessions.flatMap(({ startsAt, endsAt, cancelled }, index) => {
    if (!startsAt || !endsAt) return [];
    const [from, to] = [toDate(startsAt), toDate(endsAt)];
    const when = `${formatShortDate(from, zone)}, ${formatTimeRange(from, to, zone)}`;
    return [{ label: `Session ${index + 1}`, value: cancelled ? `${when} (cancelled)` : when }];
  });
}

/** What is booked. */
export function titleRows({ serviceTitle, package: booked }: Booking): SummaryRow[] {
  const service = { label: 'Service', value: serviceTitle };
  return booked ? [{ label: 'Package', value: booked.title }, service] : [service];
}

/** When the session is, or each one of a package; online it is named in the reader's zone as well. */
export function timeRows(booking: Booking, zone: Zone): SummaryRow[] {
  if (booking.package) return packageRows(booking, zone);
  const times = sessionTimes(booking);
  if (!times) return [];
  const own = isOnline(booking) ? formatOwnPlace(times.startsAt, zone) : undefined;
  return [
    { label: 'Date', value: formatDate(times.startsAt, zone) },
    { label: 'Time', value: formatTimeRange(times.startsAt, times.endsAt, zone) },
    ...(own ? [{ label: 'Your time', value: own }] : []),
  ];
}

/** Who gives the session, where the booking says so. */
export function practitionerRows({ practitionerName }: Booking): SummaryRow[] {
  return practitionerName ? [{ label: 'With', value: practitionerName }] : [];
}

/** What is booked and when. */
export function sessionRows(booking: Booking, zone: Zone): SummaryRow[] {
  return [
    ...titleRows(booking),
    ...timeRows(booking, zone),
    ...practitionerRows(booking),
    { label: 'How', value: isOnline(booking) ? 'Online' : 'In person' },
  ];
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
