/** Whether anything of a day is left, and which sessions come after it. */
import { localDate } from '@/lib/time';
import type { ReadRow, SessionRow } from './day';

type DayAt = { isToday: boolean; now: number; rows: readonly ReadRow[] };

/** "No session is left today."; empty where one is, or where a past or later day has some. */
export function dayWord({ isToday, now, rows }: DayAt): string {
  const sessions = rows.filter(({ kind }) => kind === 'session');
  if (sessions.length === 0) return `Nothing is booked ${isToday ? 'today' : 'on this day'}.`;
  const isOver = sessions.every(({ endsAt }) => endsAt.getTime() <= now);
  return isToday && isOver ? 'No session is left today.' : '';
}

type After = { date: string; now: number; timeZone: string };

/** The sessions of the next day that has any, in their order. */
export function nextSessions(
  rows: readonly ReadRow[],
  { date, now, timeZone }: After,
): SessionRow[] {
  const later = rows
    .filter((row): row is SessionRow => row.kind === 'session' && row.startsAt.getTime() > now)
    .filter(({ startsAt }) => localDate(startsAt, timeZone) > date)
    .sort((one, other) => one.startsAt.getTime() - other.startsAt.getTime());
  const first = later[0] && localDate(later[0].startsAt, timeZone);
  return later.filter(({ startsAt }) => localDate(startsAt, timeZone) === first);
}
