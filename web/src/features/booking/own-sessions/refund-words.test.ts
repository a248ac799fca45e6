import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import {
  PaymentState,
  PreviewOwnCancellationResponseSchema,
  type Session,
  SessionSchema,
} from '@/gen/booking/v1/booking_service_pb';
import { DeskWay, MoneySchema } from '@/gen/common/v1/money_pb';
import { at, FREE_SESSION, packageFixture } from '@/testing/booking-fixture';
import { ownBooking } from '@/testing/own-sessions-server';
import { rupees } from '@/testing/receipt-fixture';
import {
  cancelledWords,
  cancelWords,
  changeWords,
  comesBackWords,
  graceWords,
  isSentBack,
  scheduleWords,
  sessionsWords,
} from './refund-words';

const IST = { timeZone: 'Asia/Kolkata', label: 'IST' };

const money = (minor: bigint) => create(MoneySchema, rupees(minor));

const TIERED: Session = create(SessionSchema, {
  refundSteps: [
    { untilAt: at('2026-11-25T05:30:00Z'), refund: rupees(150_000n) },
    { untilAt: at('2026-11-26T05:30:00Z'), refund: rupees(75_000n) },
    { untilAt: at('2026-11-27T05:30:00Z'), refund: rupees(0n) },
  ],
});

test.each([
  [
    '2026-11-24T00:00:00Z',
    '₹1,500 back until Wed, 25 Nov, 11:00 am IST; after that ₹750 until Thu, 26 Nov, 11:00 am IST; after that ₹0',
  ],
  ['2026-11-25T05:30:00.001Z', '₹750 back until Thu, 26 Nov, 11:00 am IST; after that ₹0'],
  ['2026-11-26T05:31:00Z', 'Nothing comes back any more'],
])('at %s it is "%s"', (now, words) => {
  expect(scheduleWords(TIERED, IST, Date.parse(now))).toBe(words);
});

test('the sum is said for what was paid, what was not seen yet, and what costs nothing', () => {
  const sum = money(150_000n);
  const onWord = ownBooking({ paymentState: PaymentState.CLAIMED });
  expect(comesBackWords(onWord, sum)).toContain('once your payment has reached us');
  expect(cancelledWords(onWord, sum)).toContain('once your payment has reached us');
  expect([isSentBack(ownBooking(), sum), isSentBack(onWord, sum)]).toEqual([true, false]);
  const free = ownBooking(FREE_SESSION);
  expect(comesBackWords(free, money(0n))).toBe('It costs you nothing.');
  expect(cancelWords(free, money(0n))).toBe('Cancel the session');
  expect(cancelledWords(free, money(0n))).toBe('Cancelled');
  expect(cancelWords(ownBooking(), money(0n))).toBe('Cancel without a refund');
});

test('sessions are named by their numbers', () => {
  const booking = packageFixture([]);
  const words = [[], [2], [1, 3], [1, 2, 3]].map((numbers) => sessionsWords(booking, numbers));
  expect(words).toEqual([
    'All sessions to come',
    'Session 2',
    'Sessions 1 and 3',
    'Sessions 1, 2 and 3',
  ]);
  expect(sessionsWords(ownBooking(), [1])).toBe('Your session');
});

test('what has changed since it was shown is said', () => {
  const shown = (minorUnits: bigint, atOnce = false) => ({ refund: money(minorUnits), atOnce });
  type Shown = ReturnType<typeof shown>;
  const title = (before: Shown | undefined, now: Shown) => changeWords(before, now)?.title;
  expect(title(undefined, shown(5n))).toBeUndefined();
  expect(title(shown(5n), shown(5n))).toBeUndefined();
  expect(title(shown(5n), shown(4n))).toBe('Less comes back now');
  expect(title(shown(5n), shown(6n))).toBe('More comes back now');
  expect(title(shown(5n), shown(5n, true))).toBe("This can't be undone any more");
});

const AGAIN = at('2027-04-30T20:00:00Z');

function preview(refund: bigint, grace?: bigint) {
  const init = { refund: rupees(refund), sessionNumbers: [1] };
  return create(PreviewOwnCancellationResponseSchema, {
    ...init,
    ...(grace !== undefined && { grace: { refund: rupees(grace), againAt: AGAIN } }),
  });
}

test('what comes back by grace is said to be, and from when there is grace again', () => {
  const booking = ownBooking();
  expect(graceWords(booking, preview(150_000n), IST)).toBe('₹1,500 comes back to you.');
  expect(graceWords(booking, preview(150_000n, 150_000n), IST)).toBe(
    '₹1,500 back: your free late cancellation. You have one again from 1 May 2027.',
  );
  expect(graceWords(booking, preview(300_000n, 150_000n), IST)).toBe(
    '₹3,000 comes back to you. ₹1,500 of it is your free late cancellation. You have one again from 1 May 2027.',
  );
  const atDesk = ownBooking({ paidAtDesk: DeskWay.CASH });
  expect(graceWords(atDesk, preview(150_000n, 150_000n), IST)).toContain('back at the practice');
});
