/** The dates of a package: which are chosen, whether they fit together, and a suggestion for them. */
import type { SlotDay } from '@/gen/booking/v1/booking_service_pb';
import { formatClock, localDate, type Zone } from '@/lib/time';
import { addDays, daysBetween, startsOf, WEEK_DAYS } from './slots';

/** A package, as far as its dates are concerned. */
export type PackageTerms = { sessions: number; withinDays: number };

export type DatesProblem = 'missing' | 'same-date' | 'too-far';

/** One place for each session, empty where nothing is chosen. */
export function placesOf(slots: readonly string[], sessions: number): string[] {
  return Array.from({ length: sessions }, (_, index) => slots[index] ?? '');
}

/** The same with another start in one place. */
export function withStart(places: readonly string[], index: number, instant: string): string[] {
  return places.map((place, at) => (at === index ? instant : place));
}

/** The next place without a start, from the one after `index` on and round again. */
export function nextEmpty(places: readonly string[], index: number): number | undefined {
  const order = places.map((_, offset) => (index + 1 + offset) % places.length);
  return order.find((at) => !places[at]);
}

/** All chosen starts, earliest first. */
export function chosenStarts(places: readonly string[]): string[] {
  return places.filter((place) => place !== '').sort();
}

/** Why the dates cannot be booked together; the server checks the same. */
export function problemOf(
  places: readonly string[],
  { withinDays }: PackageTerms,
  zone: Zone,
): DatesProblem | undefined {
  const dates = chosenStarts(places).map((start) => localDate(new Date(start), zone.timeZone));
  if (new Set(dates).size < dates.length) return 'same-date';
  const [first, last] = [dates[0], dates.at(-1)];
  if (first && last && daysBetween(first, last) > withinDays) return 'too-far';
  return dates.length < places.length ? 'missing' : undefined;
}

type FreeStart = { instant: string; date: string; clock: string };

function freeStarts(days: readonly SlotDay[], zone: Zone): FreeStart[] {
  return days.flatMap((day) =>
    startsOf(day)
      .filter((start) => start.available)
      .map(({ instant, at }) => ({ instant, date: day.date, clock: formatClock(at, zone) })),
  );
}

/** From one start on, each time a week later at its hour, or on the next day after that is free. */
function from(first: FreeStart, free: readonly FreeStart[], sessions: number): FreeStart[] {
  const chosen = [first];
  while (chosen.length < sessions) {
    const wanted = addDays(chosen.at(-1)?.date ?? first.date, WEEK_DAYS);
    const next = free.find(({ date, clock }) => clock === first.clock && date >= wanted);
    if (!next) break;
    chosen.push(next);
  }
  return chosen;
}

/**
 * Starts for all sessions, weekly at one hour, from `first` or the earliest free one on. A week in
 * which the hour is not free is moved by some days; a start from which all weeks are free is
 * preferred. Nothing where no hour has enough days.
 */
export function suggestDates(
  days: readonly SlotDay[],
  first: string,
  terms: PackageTerms,
  zone: Zone,
): string[] {
  const free = freeStarts(days, zone);
  const begins = first ? free.filter(({ instant }) => instant === first) : free;
  const fits = (chosen: readonly FreeStart[]) => {
    const [begin, end] = [chosen[0], chosen.at(-1)];
    const isWhole = chosen.length === terms.sessions && begin && end;
    return isWhole && daysBetween(begin.date, end.date) <= terms.withinDays;
  };
  const all = begins.map((begin) => from(begin, free, terms.sessions)).filter(fits);
  const isWeekly = (chosen: readonly FreeStart[]) =>
    chosen.every(({ date }, index) => date === addDays(chosen[0]?.date ?? '', index * WEEK_DAYS));
  const best = all.find(isWeekly) ?? all[0];
  return best?.map(({ instant }) => instant) ?? [];
}

const WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** "three" */
export function countWord(count: number): string {
  return WORDS[count] ?? String(count);
}
