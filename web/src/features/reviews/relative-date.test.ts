import { expect, test } from 'vitest';
import { isRecent, relativeDate } from './relative-date';

const INDIA = { timeZone: 'Asia/Kolkata', label: 'IST' };
const NOON = new Date('2026-11-21T06:30:00Z');
const DAY_MS = 86_400_000;

function daysBefore(days: number): string {
  return relativeDate(new Date(NOON.getTime() - days * DAY_MS), INDIA, NOON);
}

test('the agreed words at their limits', () => {
  expect(daysBefore(0)).toBe('Today');
  expect(daysBefore(1)).toBe('Yesterday');
  expect(daysBefore(2)).toBe('2 days ago');
  expect(daysBefore(6)).toBe('6 days ago');
  expect(daysBefore(7)).toBe('1 week ago');
  expect(daysBefore(13)).toBe('1 week ago');
  expect(daysBefore(14)).toBe('2 weeks ago');
  expect(daysBefore(29)).toBe('4 weeks ago');
  expect(daysBefore(30)).toBe('1 month ago');
  expect(daysBefore(60)).toBe('2 months ago');
  expect(daysBefore(400)).toBe('13 months ago');
});

test('days are those of the practice, wherever the reader is', () => {
  // 23:50 and 00:10 in India, on one and the same day in London.
  const lateEvening = new Date('2026-11-20T18:20:00Z');
  const afterMidnight = new Date('2026-11-20T18:40:00Z');
  expect(relativeDate(lateEvening, INDIA, afterMidnight)).toBe('Yesterday');
  expect(relativeDate(lateEvening, { timeZone: 'UTC', label: 'UTC' }, afterMidnight)).toBe('Today');
});

test('a clock that is behind makes no future', () => {
  expect(relativeDate(new Date('2026-11-22T06:30:00Z'), INDIA, NOON)).toBe('Today');
});

test('recent is what the filter lists', () => {
  expect(isRecent(new Date(NOON.getTime() - 30 * DAY_MS + 1), NOON)).toBe(true);
  expect(isRecent(new Date(NOON.getTime() - 30 * DAY_MS), NOON)).toBe(false);
});
