import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { BookingState, SessionSchema } from '@/gen/booking/v1/booking_service_pb';
import { at, bookingFixture, packageFixture, slotsFixture } from '@/testing/booking-fixture';
import { ownBooking } from '@/testing/own-sessions-server';
import { repeatPath, repeatRange, repeatsOf } from './repeat';

const ZONE = { timeZone: 'Asia/Kolkata', label: 'IST' };
const BEFORE = Date.parse('2026-11-20T05:30:00Z');
/** Its session is on Tuesday, 24 November, 11:00 am IST. */
const BOOKING = ownBooking({ practitionerId: 'meera' });

function said(booking: typeof BOOKING, days: Parameters<typeof slotsFixture>[0], now = BEFORE) {
  return repeatsOf(booking, slotsFixture(days).days, { zone: ZONE, now }).map(
    ({ weeks, start, sameTime }) => [weeks, start.instant, sameTime],
  );
}

test('the same weekday and hour in one, two and four weeks', () => {
  const days = ['2026-12-01', '2026-12-08', '2026-12-15', '2026-12-22'].map((date) => ({
    date,
    starts: [{ hour: 10 }, { hour: 11 }, { hour: 12 }],
  }));
  expect(said(BOOKING, days)).toEqual([
    [1, '2026-12-01T05:30:00Z', true],
    [2, '2026-12-08T05:30:00Z', true],
    [4, '2026-12-22T05:30:00Z', true],
  ]);
});

test('where that is taken, the nearest of the days around it, each start once', () => {
  const days = [
    { date: '2026-11-28', starts: [{ hour: 11 }] },
    { date: '2026-11-30', starts: [{ hour: 18 }] },
    { date: '2026-12-01', starts: [{ hour: 17 }] },
    { date: '2026-12-03', starts: [{ hour: 11 }] },
  ];
  expect(said(BOOKING, days)).toEqual([[1, '2026-12-01T11:30:00Z', false]]);
});

test('after a session that is long over, the same weekdays from today on', () => {
  const now = Date.parse('2027-01-06T05:30:00Z');
  expect(repeatRange(BOOKING, ZONE, now)).toEqual({
    serviceId: 'general-consultation',
    practitionerId: 'meera',
    fromDate: '2027-01-10',
    days: 26,
  });
  const days = [{ date: '2027-01-12', starts: [{ hour: 11 }] }];
  expect(said(BOOKING, days, now)).toEqual([[1, '2027-01-12T05:30:00Z', true]]);
});

test('days before today are not asked for', () => {
  const now = Date.parse('2026-11-30T05:30:00Z');
  expect(repeatRange(BOOKING, ZONE, now)?.fromDate).toBe('2026-11-30');
});

test('what was cancelled can be booked at its own time while that is free', () => {
  const booking = ownBooking({ state: BookingState.CANCELLED });
  expect(repeatRange(booking, ZONE, BEFORE)?.fromDate).toBe('2026-11-24');
  const days = [{ date: '2026-11-24', starts: [{ hour: 11 }] }];
  expect(said(booking, days)).toEqual([[0, '2026-11-24T05:30:00Z', true]]);
  expect(said(BOOKING, days)).toEqual([]);
});

test('a package, a first free session and a booking without a session are not repeated', () => {
  const free = ownBooking({ price: { minorUnits: 0n, currencyCode: 'INR' } as never });
  const none = bookingFixture({ sessions: [] });
  for (const booking of [packageFixture([new Date(BEFORE)]), free, none]) {
    expect(repeatRange(booking, ZONE, BEFORE)).toBeUndefined();
  }
});

test('of several sessions the last one that was not cancelled counts', () => {
  const session = (start: string, cancelled = false) =>
    create(SessionSchema, { startsAt: at(start), endsAt: at(start), cancelled });
  const sessions = [session('2026-11-24T05:30:00Z'), session('2026-11-25T05:30:00Z', true)];
  const booking = bookingFixture({ sessions });
  const days = [{ date: '2026-12-01', starts: [{ hour: 11 }] }];
  expect(said(booking, days)).toHaveLength(1);
});

test('the link holds service, practitioner and time', () => {
  const [repeat] = repeatsOf(
    BOOKING,
    slotsFixture([{ date: '2026-12-01', starts: [{ hour: 11 }] }]).days,
    { zone: ZONE, now: BEFORE },
  );
  expect(repeat && repeatPath(BOOKING, repeat.start)).toBe(
    '/booking-flow?service=general-consultation&slot=2026-12-01T05:30:00Z&practitioner=meera',
  );
});
