import { afterEach, expect, test } from 'vitest';
import { readLateConsents, startsIn, writeLateConsents } from './late-booking';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const MINUTE_MS = 60_000;

afterEach(() => sessionStorage.clear());

test.each([
  [10 * 60 + 59, 'in 10 hours'],
  [120, 'in 2 hours'],
  [119, 'in 119 minutes'],
  [1, 'in a minute'],
  [23 * 60 + 59, 'in 23 hours'],
  [47 * 60, 'in 47 hours'],
  [72 * 60, 'in 3 days'],
])('%i minutes ahead is said as "%s"', (minutes, words) => {
  const at = new Date(NOW + minutes * MINUTE_MS);
  expect(startsIn(at, NOW)).toBe(`This session starts ${words}`);
});

test('of a package the notice names the session', () => {
  const at = new Date(NOW + 13 * 60 * MINUTE_MS);
  const zone = { timeZone: 'Asia/Kolkata', label: 'IST' };
  expect(startsIn(at, NOW, { zone })).toBe(
    'Your first session, on Tue, 24 Nov, starts in 13 hours',
  );
});

test('consents outlive a reload, and what is no list is none', () => {
  expect(readLateConsents()).toEqual([]);
  writeLateConsents(['u1 2026-11-24T05:30:00Z']);
  expect(readLateConsents()).toEqual(['u1 2026-11-24T05:30:00Z']);
  for (const broken of ['{', '"yes"', '{"a":1}']) {
    sessionStorage.setItem('bookingLateAgreed', broken);
    expect(readLateConsents()).toEqual([]);
  }
});
