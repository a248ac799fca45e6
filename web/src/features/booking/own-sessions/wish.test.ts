import { expect, test } from 'vitest';
import { DayPart } from '@/gen/booking/v1/waiting_service_pb';
import { at } from '@/testing/booking-fixture';
import { waitingFixture } from '@/testing/waiting-server';
import { daysWords, earlierPath, wantedIn, wishRows } from './wish';

const ZONE = { timeZone: 'Asia/Kolkata', label: 'IST' };
const { MORNING, AFTERNOON, EVENING } = DayPart;

test.each([
  [[], [], 'Any day, any time of day'],
  [[1, 2, 3, 4, 5, 6, 7], [MORNING, AFTERNOON, EVENING], 'Any day, any time of day'],
  [[6], [MORNING], 'Saturdays, mornings'],
  [[1, 3, 5], [MORNING, EVENING], 'Mondays, Wednesdays and Fridays, mornings and evenings'],
])('%j and %j are "%s"', (weekdays, parts, words) => {
  expect(daysWords(weekdays, parts)).toBe(words);
});

test('what is waited for is told in rows', () => {
  const wish = { fromDate: '2026-12-01', untilDate: '2026-12-20', noticeMinutes: 60, mode: 2 };
  const waiting = waitingFixture({
    wish,
    practitionerName: 'Meera Joshi',
    earlierThanAt: at('2026-12-22T05:30:00Z'),
  });
  expect(wishRows(waiting, ZONE).map(({ label, value }) => `${label}: ${value}`)).toEqual([
    'Earlier than: Tue, 22 Dec, 11:00 am IST',
    'When: Any day, any time of day',
    'Dates: Tuesday, 1 December to Sunday, 20 December',
    'Told at the latest: 1 hour before',
    'How: In person',
    'With: Meera Joshi',
    'On the list since: Saturday, 21 November 2026',
  ]);
});

test('without dates it is until the entry ends, and without a notice nothing is said of one', () => {
  const rows = wishRows(waitingFixture({ wish: {} }), ZONE);
  const labels = rows.map(({ label }) => label);
  expect(labels).toEqual(['When', 'Dates', 'How', 'With', 'On the list since']);
  expect(rows[1]?.value).toBe('Until Thursday, 21 January 2027');
});

test('one day is said once', () => {
  const wish = { fromDate: '2026-12-01', untilDate: '2026-12-01' };
  const rows = wishRows(waitingFixture({ wish }), ZONE);
  expect(rows[1]?.value).toBe('Tuesday, 1 December');
});

test('the address says what is wanted', () => {
  const query = (path: string) => new URLSearchParams(path.split('?')[1]);
  expect(wantedIn(query('?service=meditation&practitioner=ravi'))).toEqual({
    serviceId: 'meditation',
    practitioner: 'ravi',
    earlierThan: '',
  });
  expect(wantedIn(query(earlierPath('bkg_1'))).earlierThan).toBe('bkg_1');
});
