import { expect, test } from 'vitest';
import { slotsFixture } from '@/testing/booking-fixture';
import {
  addDays,
  daysBetween,
  groupStarts,
  hasFree,
  isLost,
  nearestFree,
  startsOf,
  weekOf,
} from './slots';

const ZONE = { timeZone: 'Asia/Kolkata', label: 'IST' };
const { days } = slotsFixture([
  { date: '2026-11-24', starts: [{ hour: 11 }, { hour: 12, available: false }, { hour: 17 }] },
  { date: '2026-11-25', closed: true },
  { date: '2026-11-26', starts: [{ hour: 11, available: false }] },
  { date: '2026-11-27', starts: [{ hour: 18 }] },
]);

test('starts stand under their part of the day in the practice zone', () => {
  const groups = groupStarts(startsOf(days[0]), ZONE);
  expect(groups.map(({ name, starts }) => [name, starts.length])).toEqual([
    ['Morning', 1],
    ['Afternoon', 1],
    ['Evening', 1],
  ]);
  expect(groupStarts(startsOf(days[3]), ZONE).map((group) => group.name)).toEqual(['Evening']);
  expect(groupStarts([], ZONE)).toEqual([]);
});

test('closed and full days have nothing free', () => {
  expect(days.map(hasFree)).toEqual([true, false, false, true]);
});

test('a chosen start is lost when its listed day does not offer it any more', () => {
  expect(isLost(days, '2026-11-24T05:30:00Z', ZONE)).toBe(false);
  expect(isLost(days, '2026-11-24T06:30:00Z', ZONE)).toBe(true);
  expect(isLost(days, '2026-11-24T07:30:00Z', ZONE)).toBe(true);
  expect(isLost(days, '2026-12-24T05:30:00Z', ZONE)).toBe(false);
  expect(isLost(days, '', ZONE)).toBe(false);
});

test('the closest free starts are offered, in order', () => {
  const offered = nearestFree(days, new Date('2026-11-24T06:30:00Z'), 2);
  expect(offered.map((start) => start.instant)).toEqual([
    '2026-11-24T05:30:00Z',
    '2026-11-24T11:30:00Z',
  ]);
});

test('dates are counted without any zone', () => {
  expect(addDays('2026-12-30', 3)).toBe('2027-01-02');
  expect(daysBetween('2026-11-20', '2026-12-01')).toBe(11);
  expect(weekOf('2026-11-20', '2026-11-26')).toBe(0);
  expect(weekOf('2026-11-20', '2026-11-27')).toBe(1);
  expect(weekOf('2026-11-20', '2026-11-01')).toBe(0);
  expect(weekOf('2026-11-20', '')).toBe(0);
});
