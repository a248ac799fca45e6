/** What the desk says of an entry of the wait list. */
import { expect, test } from 'vitest';
import { SessionMode } from '@/gen/booking/v1/booking_service_pb';
import { DayPart, type Waiting } from '@/gen/booking/v1/waiting_service_pb';
import { freeDays } from '@/lib/free-days';
import { at, slotsFixture } from '@/testing/booking-fixture';
import { offerFixture, waitingClient } from '@/testing/wait-list';
import { daysBefore, heldWords, lapsedWords, reasonError, whatWords, wishWords } from './waiting';

const ZONE = { timeZone: 'Asia/Kolkata', label: 'IST' };

type Wish = NonNullable<NonNullable<Parameters<typeof waitingClient>[1]>['waiting']>['wish'];

function waiting(wish: Wish): Waiting {
  const { waiting: one } = waitingClient(1, { waiting: { wish } } as never);
  if (!one) throw new Error('no entry');
  return one;
}

const words = (wish: Wish) => wishWords(waiting(wish), ZONE);

test('a wish in words: days, parts of the day, dates and notice', () => {
  expect(words({})).toBe('Any day, at any time, until 19 Jan');
  expect(words({ weekdays: [7, 1, 3], dayParts: [DayPart.EVENING, DayPart.MORNING] })).toBe(
    'Mon, Wed and Sun, mornings and evenings, until 19 Jan',
  );
  expect(words({ weekdays: [1, 2, 3, 4, 5, 6, 7], dayParts: [1, 2, 3] })).toBe(
    'Any day, at any time, until 19 Jan',
  );
  expect(words({ fromDate: '2026-12-01', untilDate: '2026-12-20', weekdays: [2] })).toBe(
    'Tue, at any time, from 1 Dec until 20 Dec',
  );
  expect(words({ fromDate: '2026-12-01', untilDate: '2026-12-01' })).toBe(
    'Any day, at any time, on 1 Dec',
  );
});

test.each([
  [0, ''],
  [45, ', offered at least 45 min before'],
  [90, ', offered at least 90 min before'],
  [180, ', offered at least 3 h before'],
  [1440, ', offered at least 1 day before'],
  [2880, ', offered at least 2 days before'],
])('a notice of %i minutes', (noticeMinutes, more) => {
  expect(words({ noticeMinutes })).toBe(`Any day, at any time, until 19 Jan${more}`);
});

test('what is waited for, and where', () => {
  const here = waiting({ mode: SessionMode.IN_PERSON });
  expect(whatWords(here, true)).toBe('Meditation, in person, with anyone');
  expect(whatWords(here, false)).toBe('Meditation, in person');
  expect(whatWords({ ...here, practitionerName: 'Ravi Menon' }, true)).toBe(
    'Meditation, in person, with Ravi Menon',
  );
});

test('until when a time is held, with the day where it is another', () => {
  const on = (instant: string) => heldWords(offerFixture(), Date.parse(instant), ZONE);
  expect(on('2026-11-24T06:30:00Z')).toBe('held until 1:05 pm');
  expect(on('2026-11-23T06:30:00Z')).toBe('held until Tue, 24 Nov, 1:05 pm');
});

test('offers that lapsed, and a reason that is none', () => {
  expect([0, 1, 2].map(lapsedWords)).toEqual(['', '1 offer lapsed', '2 offers lapsed']);
  expect(reasonError(' ok ')).toBe('Say why, in a word or two');
  expect(reasonError('ill')).toBeUndefined();
});

test('of the free times those before an instant', () => {
  const days = freeDays(
    slotsFixture([
      { date: '2026-11-25', starts: [{ hour: 11 }, { hour: 16 }] },
      { date: '2026-11-26', starts: [{ hour: 11 }] },
    ]),
  );
  const before = daysBefore(days, new Date(Number(at('2026-11-25T08:00:00Z').seconds) * 1000));
  expect(before.map(({ date, count }) => [date, count])).toEqual([['2026-11-25', 1]]);
  expect(daysBefore(days, undefined)).toEqual(days);
});
