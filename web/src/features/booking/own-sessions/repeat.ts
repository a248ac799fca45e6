/**
 * The same time once more: in one, two and four weeks, or the nearest free one of those days. What
 * was cancelled can be booked again as it was, while it is free.
 */
import { type Booking, BookingState, type SlotDay } from '@/gen/booking/v1/booking_service_pb';
import { formatClock, localDate, toDate, type Zone } from '@/lib/time';
import { queryText } from '../shared/choices';
import { isFree } from '../shared/free-session';
import {
  addDays,
  daysBetween,
  nearestFree,
  type Start,
  startsOf,
  WEEK_DAYS,
} from '../shared/slots';

const WEEKS = [1, 2, 4] as const;
/** How many days around a day another free time may lie. */
const DAYS_AROUND = 2;
const LAST_WEEK = 4;

export type Repeat = {
  /** In how many weeks after the session, or after the same weekday before today; 0: its own time. */
  weeks: 0 | (typeof WEEKS)[number];
  start: Start;
  /** Whether it is at the very hour of the session. */
  sameTime: boolean;
};

/** Which session is repeated: the last one that is not cancelled. */
function lastStart({ sessions }: Booking): Date | undefined {
  const held = sessions.filter(({ cancelled, startsAt }) => !cancelled && startsAt);
  const at = (held.at(-1) ?? sessions.at(-1))?.startsAt;
  return at ? toDate(at) : undefined;
}

/** The session's date, or the last day of the same weekday before today where it is long over. */
function anchorOf(date: string, today: string): string {
  const past = daysBetween(date, today);
  return past > 0 ? addDays(date, Math.floor(past / WEEK_DAYS) * WEEK_DAYS) : date;
}

export type RepeatRange = {
  serviceId: string;
  practitionerId: string;
  fromDate: string;
  days: number;
};

/**
 * Which days have to be read for it; nothing for a package, which is booked again as a whole, and
 * for what a client may have once.
 */
export function repeatRange(booking: Booking, zone: Zone, now: number): RepeatRange | undefined {
  const last = lastStart(booking);
  if (!last || booking.package || isFree(booking)) return undefined;
  const { serviceId, practitionerId } = booking;
  const today = localDate(new Date(now), zone.timeZone);
  const anchor = anchorOf(localDate(last, zone.timeZone), today);
  const isCancelled = booking.state === BookingState.CANCELLED;
  const first = isCancelled ? anchor : addDays(anchor, WEEK_DAYS - DAYS_AROUND);
  const fromDate = daysBetween(first, today) > 0 ? today : first;
  const end = addDays(anchor, LAST_WEEK * WEEK_DAYS + DAYS_AROUND);
  return { serviceId, practitionerId, fromDate, days: daysBetween(fromDate, end) + 1 };
}

/** A day's start at the session's hour by the clock of the practice. */
function sameHour(day: SlotDay | undefined, last: Date, zone: Zone): Start | undefined {
  const clock = formatClock(last, zone);
  return startsOf(day).find(({ at, available }) => available && formatClock(at, zone) === clock);
}

/** When the session would be on another date, give or take a change of the clocks. */
function movedTo(last: Date, from: string, to: string): Date {
  return new Date(last.getTime() + daysBetween(from, to) * 86_400_000);
}

/** The free starts in one, two and four weeks; a week in which nothing near is free is left out. */
export function repeatsOf(
  booking: Booking,
  days: readonly SlotDay[],
  { zone, now }: { zone: Zone; now: number },
): Repeat[] {
  const last = lastStart(booking);
  if (!last) return [];
  const date = localDate(last, zone.timeZone);
  const anchor = anchorOf(date, localDate(new Date(now), zone.timeZone));
  const on = (target: string) => days.find((day) => day.date === target);
  const own = booking.state === BookingState.CANCELLED ? sameHour(on(date), last, zone) : undefined;
  const repeats = WEEKS.flatMap((weeks): Repeat[] => {
    const target = addDays(anchor, weeks * WEEK_DAYS);
    const same = sameHour(on(target), last, zone);
    if (same) return [{ weeks, start: same, sameTime: true }];
    const near = days.filter((day) => Math.abs(daysBetween(target, day.date)) <= DAYS_AROUND);
    const [other] = nearestFree(near, movedTo(last, date, target), 1);
    return other ? [{ weeks, start: other, sameTime: false }] : [];
  });
  const seen = new Set<string>();
  const all = own ? [{ weeks: 0 as const, start: own, sameTime: true }, ...repeats] : repeats;
  return all.filter(({ start }) => !seen.has(start.instant) && seen.add(start.instant));
}

/** Where a repeated session is booked. */
export function repeatPath({ serviceId, practitionerId }: Booking, { instant }: Start): string {
  const query = new URLSearchParams({ service: serviceId, slot: instant });
  if (practitionerId) query.set('practitioner', practitionerId);
  return `/booking-flow?${queryText(query)}`;
}
