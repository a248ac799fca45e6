/** One local day of the practice as rows in the order of their times, with what is free in between. */
import type { Booking, Session } from '@/gen/booking/v1/booking_service_pb';
import type { BlockedTime, StaffBooking } from '@/gen/booking/v1/booking_staff_service_pb';
import { localDate, toDate } from '@/lib/time';
import { isHeld, takesPlace } from './staff-booking';

type Span = { startsAt: Date; endsAt: Date; practitionerId: string };

export type SessionRow = Span & {
  kind: 'session' | 'hold';
  key: string;
  staff: StaffBooking;
  booking: Booking;
  /** Which session of its booking, from 1. */
  number: number;
  /** It was there when the day was last shown, and is not any more. */
  gone?: boolean;
};
export type ClosedRow = Span & { kind: 'closed'; key: string; block: BlockedTime; gone?: boolean };
export type GapRow = { kind: 'gap'; key: string; startsAt: Date; endsAt: Date };

/** What was read; rows that can be new, and that a person can press. */
export type ReadRow = SessionRow | ClosedRow;
export type DayRow = ReadRow | GapRow;

/** Less is a break between two sessions. */
const GAP_MS_MIN = 30 * 60_000;

/** A moved session is another row: its key holds its start. */
function rowOf(staff: StaffBooking, session: Session, number: number): SessionRow | undefined {
  const { booking } = staff;
  if (!booking || !session.startsAt || !session.endsAt || session.cancelled) return undefined;
  const held = isHeld(booking);
  if (!held && !takesPlace(booking)) return undefined;
  const startsAt = toDate(session.startsAt);
  return {
    kind: held ? 'hold' : 'session',
    key: `${booking.bookingId}/${number}/${startsAt.getTime()}`,
    staff,
    booking,
    number,
    startsAt,
    endsAt: toDate(session.endsAt),
    practitionerId: booking.practitionerId,
  };
}

/** All sessions of the bookings that take place or are held. */
export function sessionRows(bookings: readonly StaffBooking[]): SessionRow[] {
  return bookings.flatMap((staff) =>
    (staff.booking?.sessions ?? []).flatMap(
      (session, index) => rowOf(staff, session, index + 1) ?? [],
    ),
  );
}

export function closedRows(blocks: readonly BlockedTime[]): ClosedRow[] {
  return blocks.flatMap((block) => {
    const { blockId, startsAt, endsAt, practitionerId } = block;
    if (!startsAt || !endsAt) return [];
    const span = { startsAt: toDate(startsAt), endsAt: toDate(endsAt), practitionerId };
    return [{ kind: 'closed' as const, key: blockId, block, ...span }];
  });
}

function byTime(one: DayRow, other: DayRow): number {
  return one.startsAt.getTime() - other.startsAt.getTime();
}

type Read = { bookings: readonly StaffBooking[]; blocks: readonly BlockedTime[] };

/** The rows of one local date. Of a package only the sessions of that date are its rows. */
export function rowsOfDay({ bookings, blocks }: Read, date: string, timeZone: string): ReadRow[] {
  const sessions = sessionRows(bookings).filter(
    ({ startsAt }) => localDate(startsAt, timeZone) === date,
  );
  const last = (end: Date) => new Date(end.getTime() - 1);
  const closed = closedRows(blocks).filter(
    ({ startsAt, endsAt }) =>
      localDate(startsAt, timeZone) <= date && localDate(last(endsAt), timeZone) >= date,
  );
  return [...sessions, ...closed].sort(byTime);
}

/** The rows of one practitioner; of all where none is chosen. */
export function rowsWith(rows: readonly ReadRow[], practitionerId: string): ReadRow[] {
  return rows.filter((row) => practitionerId === '' || row.practitionerId === practitionerId);
}

/**
 * The same rows with the free times between them. Before the first and after the last nothing is said:
 * the hours of work are the server's to know.
 */
export function withGaps(rows: readonly ReadRow[]): DayRow[] {
  const all: DayRow[] = [];
  let end: Date | undefined;
  for (const row of rows) {
    if (end && row.startsAt.getTime() - end.getTime() >= GAP_MS_MIN) {
      all.push({ kind: 'gap', key: `free/${end.getTime()}`, startsAt: end, endsAt: row.startsAt });
    }
    all.push(row);
    if (!end || row.endsAt > end) end = row.endsAt;
  }
  return all;
}

/** A date some days on: "2026-11-30" and 1 give "2026-12-01". */
export function dayAfter(date: string, days = 1): string {
  const noon = new Date(`${date}T12:00:00Z`);
  noon.setUTCDate(noon.getUTCDate() + days);
  return noon.toISOString().slice(0, 10);
}
