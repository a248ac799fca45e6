import { expect, test, vi } from 'vitest';
import {
  describeDay,
  formatDate,
  formatDateTime,
  formatLongDate,
  formatOwnPlace,
  formatOwnTime,
  formatShortDate,
  formatTime,
  formatTimeRange,
  localDate,
  localHour,
  toDate,
} from './time';

const INDIA = { timeZone: 'Asia/Kolkata', label: 'IST' };
const ELEVEN = new Date('2026-11-24T05:30:00Z');

test('a time stands in the practice zone with its label', () => {
  expect(formatTime(ELEVEN, INDIA)).toBe('11:00 am IST');
  expect(formatTimeRange(ELEVEN, new Date('2026-11-24T06:30:00Z'), INDIA)).toBe(
    '11:00 am – 12:00 pm IST',
  );
});

test('dates are those of the practice, not of the reader', () => {
  const lateInLondon = new Date('2026-11-23T20:00:00Z');
  expect(localDate(lateInLondon, INDIA.timeZone)).toBe('2026-11-24');
  expect(localHour(lateInLondon, INDIA.timeZone)).toBe(1);
  expect(formatShortDate(lateInLondon, INDIA)).toContain('24 Nov');
});

test('dates are written out', () => {
  expect(formatDate(ELEVEN, INDIA)).toMatch(/^Tuesday,? 24 November,? 2026$/);
  expect(formatDateTime(ELEVEN, INDIA)).toMatch(/2026 at 11:00 am IST$/);
});

test('a calendar date has no zone to lose it in', () => {
  expect(describeDay('2026-11-24')).toEqual({ weekday: 'Tue', day: '24', month: 'Nov' });
});

test('the time on the reader’s own clock stands with the reader’s place', () => {
  const resolved = Intl.DateTimeFormat().resolvedOptions();
  const zone = vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions');
  const from = (timeZone: string) => {
    zone.mockReturnValue({ ...resolved, timeZone });
    return formatOwnPlace(ELEVEN, INDIA);
  };
  expect(from('Europe/London')).toBe('5:30 am (London)');
  expect(from('America/New_York')).toBe('12:30 am (New York)');
  expect(from('America/Los_Angeles')).toMatch(/23 Nov, 9:30 pm \(Los Angeles\)$/);
  expect(from('Etc/GMT+5')).toBe('12:30 am');
  expect(from('Asia/Calcutta')).toBeUndefined();
});

test('protobuf timestamps become dates', () => {
  expect(toDate({ seconds: 1_795_498_200n, nanos: 250_000_000 }).toISOString()).toBe(
    '2026-11-24T05:30:00.250Z',
  );
});

test('a calendar date is written out', () => {
  expect(formatLongDate('2026-11-22')).toBe('22 November 2026');
  expect(formatLongDate('2027-01-01')).toBe('1 January 2027');
});

test.each([['Etc/Unknown'], ['Not/AZone'], [''], [undefined]])(
  'a browser that says its zone is %s shows the practice’s time alone',
  (timeZone) => {
    const resolved = { ...Intl.DateTimeFormat().resolvedOptions(), timeZone: timeZone as string };
    vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue(resolved);
    expect(formatOwnTime(ELEVEN, INDIA)).toBeUndefined();
    expect(formatOwnPlace(ELEVEN, INDIA)).toBeUndefined();
  },
);

test('a browser that cannot say its zone shows the practice’s time alone', () => {
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockImplementation(() => {
    throw new RangeError('no zone');
  });
  expect(formatOwnTime(ELEVEN, INDIA)).toBeUndefined();
  expect(formatOwnPlace(ELEVEN, INDIA)).toBeUndefined();
});
