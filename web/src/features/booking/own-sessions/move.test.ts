/** What is said of moving a session, and among which days it can be moved. */
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { MoveLimitsSchema } from '@/gen/common/v1/cancellation_pb';
import { at, packageFixture, slotsFixture } from '@/testing/booking-fixture';
import { ownBooking } from '@/testing/own-sessions-server';
import { inOrder, isMovable, movesWords, notMovableWords, orderWords } from './move';

const ZONE = { timeZone: 'Asia/Kolkata', label: 'IST' };
const START = Date.parse('2026-11-24T05:30:00Z');
const HOUR = 3_600_000;

function booked(
  moves: { untilHours: number; times: number } | undefined,
  session: object,
): Booking {
  const booking = ownBooking();
  const policy = booking.cancellationPolicy;
  if (policy && moves) policy.moves = create(MoveLimitsSchema, moves);
  booking.sessions = booking.sessions.map((one) => ({ ...one, ...session }));
  return booking;
}

function words(booking: Booking, now: number): string {
  const [session] = booking.sessions;
  return session ? notMovableWords(booking, session, now) : '';
}

test('until when and how often, to the last moment', () => {
  const movableUntilAt = at('2026-11-23T05:30:00Z');
  const booking = booked({ untilHours: 24, times: 3 }, { movableUntilAt, movesLeft: 1 });
  const [session] = booking.sessions;
  if (!session) throw new Error('no session');
  expect(movesWords(session, ZONE)).toBe(
    'You can move it until Mon, 23 Nov, 11:00 am IST, once more.',
  );
  expect(isMovable(booking, session, START - 24 * HOUR - 1)).toBe(true);
  expect(isMovable(booking, session, START - 24 * HOUR)).toBe(false);
  expect(isMovable(booking, { ...session, cancelled: true }, 0)).toBe(false);
});

test('why it cannot be moved any more, where it once could be', () => {
  const spent = { movesLeft: 0, moves: 1 };
  expect(words(booked({ untilHours: 24, times: 1 }, spent), 0)).toMatch(
    /you have moved it once\.$/,
  );
  const late = booked({ untilHours: 1, times: 3 }, { movesLeft: 3 });
  expect(words(late, START - HOUR)).toMatch(/that ends an hour before it starts\.$/);
  expect(words(late, START - HOUR - 1)).toBe('');
  expect(words(booked({ untilHours: 24, times: 0 }, {}), START)).toBe('');
  expect(words(booked(undefined, {}), START)).toBe('');
});

test('a session of a package stays between those beside it that take place', () => {
  const days = ['2026-11-23', '2026-11-25', '2026-11-27'];
  const booking = packageFixture(days.map((day) => new Date(`${day}T05:30:00Z`)));
  expect(orderWords(booking, 1, ZONE)).toBe('It stays on a day before session 2 (Wed, 25 Nov).');
  expect(orderWords(booking, 3, ZONE)).toBe('It stays on a day after session 2 (Wed, 25 Nov).');
  expect(orderWords(ownBooking(), 1, ZONE)).toBe('');
  const slots = slotsFixture(
    ['2026-11-23', '2026-11-24', '2026-11-26', '2026-11-27', '2026-11-28'].map((date) => ({
      date,
      starts: [{ hour: 11 }],
    })),
  );
  const open = (number: number, sessions = booking.sessions) =>
    inOrder(slots, { ...booking, sessions }, number)
      .days.filter((day) => day.slots.length > 0)
      .map(({ date }) => date.slice(-2));
  expect(open(2)).toEqual(['24', '26']);
  const cancelled = booking.sessions.map((one, index) => ({ ...one, cancelled: index === 2 }));
  expect(open(2, cancelled)).toEqual(['24', '26', '27', '28']);
});
