import { expect, test } from 'vitest';
import {
  chosenStarts,
  countWord,
  datesMissing,
  nextEmpty,
  placesOf,
  problemOf,
  startsOfPackage,
  withStart,
} from './package-dates';
import { addDays } from './slots';

const ZONE = { timeZone: 'Asia/Kolkata', label: 'IST' };
const STARTER = { sessions: 3, withinDays: 60 };
const FIRST = '2026-11-24';

/** An hour in India of a day after the first one. */
function start(day: number, hour: number): string {
  const utc = new Date(`${addDays(FIRST, day)}T00:00:00Z`).getTime() + (hour - 5.5) * 3_600_000;
  return new Date(utc).toISOString().replace('.000Z', 'Z');
}

test('each session has a place, and the next empty one is found', () => {
  const places = placesOf([start(0, 11)], 3);
  expect(places).toEqual([start(0, 11), '', '']);
  expect(nextEmpty(places, 0)).toBe(1);
  expect(nextEmpty(places, 2)).toBe(1);
  const full = withStart(withStart(places, 1, start(14, 11)), 2, start(7, 11));
  expect(nextEmpty(full, 0)).toBeUndefined();
  expect(chosenStarts(full)).toEqual([start(0, 11), start(7, 11), start(14, 11)]);
});

test.each([
  [[start(0, 11), '', ''], 'missing'],
  [[start(0, 11), start(0, 15), ''], 'same-date'],
  [[start(0, 11), start(61, 11), ''], 'too-far'],
  [[start(0, 11), start(7, 11), start(60, 11)], undefined],
  [['', '', ''], 'missing'],
])('%j is %s', (places, problem) => {
  expect(problemOf(places, STARTER, ZONE)).toBe(problem);
});

test('the starts are all of them or none, earliest first', () => {
  const all = [start(14, 11), start(0, 11), start(7, 15)];
  expect(startsOfPackage(all, STARTER, ZONE)).toEqual([start(0, 11), start(7, 15), start(14, 11)]);
  expect(startsOfPackage(all.slice(1), STARTER, ZONE)).toEqual([]);
  expect(startsOfPackage([start(0, 11), ...all.slice(0, 2)], STARTER, ZONE)).toEqual([]);
});

test('a count is a word', () => {
  expect(datesMissing(STARTER)).toBe('Please choose three dates');
  expect([countWord(3), countWord(12)]).toEqual(['three', '12']);
});
