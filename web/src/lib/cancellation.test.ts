import { expect, test } from 'vitest';
import { freeUntil, isLate } from './cancellation';

const START = new Date('2026-11-24T05:30:00Z');
const LIMIT = Date.parse('2026-11-23T05:30:00Z');

test('the last moment itself is still in time, as the server has it', () => {
  expect(freeUntil(START, 24).getTime()).toBe(LIMIT);
  expect(isLate(START, 24, LIMIT - 1)).toBe(false);
  expect(isLate(START, 24, LIMIT)).toBe(false);
  expect(isLate(START, 24, LIMIT + 1)).toBe(true);
});

test('the limit is the setting of the practice', () => {
  expect(isLate(START, 48, LIMIT)).toBe(true);
  expect(isLate(START, 0, START.getTime())).toBe(false);
});
