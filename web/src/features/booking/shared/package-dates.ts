/** The dates of a package: which are chosen, and whether they fit together. */
import { localDate, type Zone } from '@/lib/time';
import { daysBetween } from './slots';

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

/** The starts of all sessions, earliest first; none until all are chosen and fit together. */
export function startsOfPackage(
  slots: readonly string[],
  terms: PackageTerms,
  zone: Zone,
): string[] {
  const places = placesOf(slots, terms.sessions);
  return problemOf(places, terms, zone) ? [] : chosenStarts(places);
}

const WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** "three" */
export function countWord(count: number): string {
  return WORDS[count] ?? String(count);
}

/** What is said where some dates are missing. */
export function datesMissing({ sessions }: PackageTerms): string {
  return `Please choose ${countWord(sessions)} dates`;
}
