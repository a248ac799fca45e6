import { expect, test } from 'vitest';
import { BookingState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { at, FREE_SESSION, packageFixture } from '@/testing/booking-fixture';
import { beginEach } from '@/testing/booking-page';
import { ownBooking } from '@/testing/own-sessions-server';
import { rupees } from '@/testing/receipt-fixture';
import {
  againPath,
  cancellableNumbers,
  moneyRows,
  readAgainIn,
  sessionWord,
  standingOf,
} from './own-booking';

beginEach();

const now = () => Date.now();

function pending(takesEffectAt: string) {
  return ownBooking({
    pendingCancellation: { refund: rupees(1n), takesEffectAt: at(takesEffectAt) },
  });
}

test('it is read again each half minute, and soon where a cancellation takes effect', () => {
  expect(readAgainIn([])).toBe(30_000);
  expect(readAgainIn([ownBooking()])).toBe(30_000);
  expect(readAgainIn([pending('2026-11-22T05:33:00Z')])).toBe(30_000);
  expect(readAgainIn([pending('2026-11-22T05:30:10Z'), ownBooking()])).toBe(10_000);
  expect(readAgainIn([pending('2026-11-22T05:29:00Z')])).toBe(2_000);
});

test('the same is booked again by its service, a package by its own, and what is free is not', () => {
  expect(againPath(ownBooking())).toBe('/booking-flow?service=general-consultation');
  const starter = '/booking-flow?service=mental-health&package=starter';
  expect(againPath(packageFixture([]))).toBe(starter);
  expect(againPath(ownBooking(FREE_SESSION))).toBeUndefined();
});

test('what has begun, is cancelled or is being cancelled cannot be cancelled', () => {
  const times = ['2026-11-22T05:00:00Z', '2026-11-24T05:30:00Z', '2026-11-30T05:30:00Z'];
  const booking = packageFixture(times.map((time) => new Date(time)));
  booking.state = BookingState.CONFIRMED;
  expect(cancellableNumbers(booking, now())).toEqual([2, 3]);
  expect([1, 2, 3].map((number) => sessionWord(booking, number, now()))).toEqual(['Next', '', '']);
  const [, second] = booking.sessions;
  if (second) second.cancelled = true;
  expect(cancellableNumbers(booking, now())).toEqual([3]);
  expect(sessionWord(booking, 2, now())).toBe('Cancelled');
  expect(cancellableNumbers(pending('2026-11-22T05:33:00Z'), now())).toEqual([]);
  expect(cancellableNumbers(ownBooking({ state: BookingState.HELD }), now())).toEqual([]);
});

test('money that goes back is said without a sum, which the booking does not know', () => {
  const rows = (paymentState: PaymentState) =>
    moneyRows(ownBooking({ paymentState })).map(({ label, value }) => `${label}: ${value}`);
  expect(rows(PaymentState.PAID)).toEqual(['Paid: ₹1,500']);
  expect(rows(PaymentState.REFUNDING)).toEqual(['Paid: ₹1,500', 'Refund: On its way back to you']);
  expect(rows(PaymentState.REFUNDED)).toEqual(['Paid: ₹1,500', 'Refund: Sent back to you']);
  expect(rows(PaymentState.CLAIMED)).toEqual(['Price: ₹1,500']);
});

test.each([
  [BookingState.HELD, 'Not paid yet'],
  [BookingState.CONFIRMED, 'Confirmed'],
  [BookingState.NO_SHOW, 'Over'],
  [BookingState.CANCELLED, 'Cancelled'],
  [BookingState.PAID_UNPLACED, 'Paid too late'],
])('the state %i is "%s"', (state, word) => {
  expect(standingOf(ownBooking({ state }), now()).word).toBe(word);
});
