/** What the card at the top of the day is about, and the one act that fits the moment. */
import { SessionMode } from '@/gen/booking/v1/booking_service_pb';
import { Attendance } from '@/gen/booking/v1/booking_staff_service_pb';
import type { ReadRow, SessionRow } from './day';
import { markOf } from './staff-booking';

/** From when on a room can be entered. */
export const JOIN_MS_BEFORE = 10 * 60_000;

export type NextUp = {
  row: SessionRow;
  /** It runs, comes next, or ended without a word about whether its client came. */
  moment: 'now' | 'next' | 'unmarked';
  act: 'join' | 'mark' | 'call' | 'open';
};

function actOf(row: SessionRow, moment: NextUp['moment'], now: number): NextUp['act'] {
  const { booking, staff, number, startsAt } = row;
  if (moment === 'unmarked') return 'mark';
  const near = startsAt.getTime() - JOIN_MS_BEFORE <= now;
  if (near && booking.mode !== SessionMode.IN_PERSON) return 'join';
  if (moment === 'now' && markOf(staff, number) === Attendance.UNMARKED) return 'mark';
  return booking.contact?.phone ? 'call' : 'open';
}

/** Now comes before what is about to begin, that before what waits for a mark, and that before the rest. */
export function nextUp(rows: readonly ReadRow[], now: number): NextUp | undefined {
  const sessions = rows.filter((row): row is SessionRow => row.kind === 'session' && !row.gone);
  const running = sessions.find(
    ({ startsAt, endsAt }) => startsAt.getTime() <= now && now < endsAt.getTime(),
  );
  const next = sessions.find(({ startsAt }) => startsAt.getTime() > now);
  const unmarked = sessions.findLast(
    ({ endsAt, staff, number }) =>
      endsAt.getTime() <= now && markOf(staff, number) === Attendance.UNMARKED,
  );
  const soon = next && next.startsAt.getTime() - JOIN_MS_BEFORE <= now ? next : undefined;
  const choices: readonly (readonly [SessionRow | undefined, NextUp['moment']])[] = [
    [running, 'now'],
    [soon, 'next'],
    [unmarked, 'unmarked'],
    [next, 'next'],
  ];
  for (const [row, moment] of choices) {
    if (row) return { row, moment, act: actOf(row, moment, now) };
  }
  return undefined;
}

/** "now", "in 12 min", "in 2 h 5 min" */
export function untilWords(startsAt: Date, now: number): string {
  const minutes = Math.ceil((startsAt.getTime() - now) / 60_000);
  if (minutes <= 0) return 'now';
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours === 0) return `in ${minutes} min`;
  return rest === 0 ? `in ${hours} h` : `in ${hours} h ${rest} min`;
}
