import { expect, test } from 'vitest';
import {
  BookingState,
  MailState,
  PaymentState,
  SessionMode,
} from '@/gen/booking/v1/booking_service_pb';
import { bookingFixture } from '@/testing/booking-fixture';
import { instantsOf, isSettled, newer, ownStarts } from './booking-state';
import { endedWords } from './components/ended-panel';
import { googleCalendarUrl } from './google-calendar';
import { clockText, minuteToTell } from './hold-clock';

const { CANCELLED, CONFIRMED, EXPIRED, HELD, MEETING_SCHEDULED, PAID_UNPLACED } = BookingState;

test('older readings do not replace newer ones', () => {
  const known = bookingFixture({ version: 5n });
  const older = bookingFixture({ version: 4n });
  expect(newer(known, older)).toBe(known);
  expect(newer(known, bookingFixture({ version: 5n })).version).toBe(5n);
  expect(newer(undefined, older)).toBe(older);
});

test.each([
  ['held', { state: HELD }, false],
  ['given back', { state: CANCELLED }, true],
  ['cancelled after it was paid', { state: CANCELLED, paymentState: PaymentState.PAID }, false],
  ['cancelled and refunded', { state: CANCELLED, paymentState: PaymentState.REFUNDED }, true],
  ['run out before checkout', { state: EXPIRED }, true],
  ['run out with money perhaps on its way', { state: EXPIRED, checkoutOpened: true }, false],
  ['going back', { state: PAID_UNPLACED, paymentState: PaymentState.REFUNDING }, false],
  ['gone back', { state: PAID_UNPLACED, paymentState: PaymentState.REFUNDED }, true],
  ['placed, with its mail still to come', { state: MEETING_SCHEDULED }, false],
  ['placed and mailed, before its room', { state: CONFIRMED, mailState: MailState.SENT }, true],
  ['placed and mailed', { state: MEETING_SCHEDULED, mailState: MailState.SENT }, true],
])('a booking that is %s is worth watching or not', (_name, changes, settled) => {
  expect(isSettled(bookingFixture(changes))).toBe(settled);
});

test('the starts are written as in the address', () => {
  expect(instantsOf(bookingFixture())).toEqual(['2026-11-24T05:30:00Z']);
  expect(instantsOf(undefined)).toEqual([]);
});

test('a live hold is the own time among those of its service and practitioner', () => {
  const held = bookingFixture({ practitionerId: 'ravi' });
  const own = ['2026-11-24T05:30:00Z'];
  expect(ownStarts(held, 'general-consultation', '')).toEqual(own);
  expect(ownStarts(held, 'general-consultation', 'ravi')).toEqual(own);
  expect(ownStarts(held, 'general-consultation', 'lead')).toEqual([]);
  expect(ownStarts(held, 'meditation', '')).toEqual([]);
  expect(ownStarts(bookingFixture({ state: EXPIRED }), 'general-consultation', '')).toEqual([]);
  expect(ownStarts(undefined, 'general-consultation', '')).toEqual([]);
});

test('a calendar on the web learns the practice and not the service', () => {
  const booking = bookingFixture({ joinUrl: 'https://meet.example/room' });
  const address = googleCalendarUrl(booking, 'Sukoon', 'https://sukoon.example') ?? '';
  expect(address).toContain('dates=20261124T053000Z%2F20261124T061500Z');
  expect(address).not.toMatch(/consultation/i);
  // The join page asks who opens it; the room is in no calendar.
  const page = `https://sukoon.example/join/${booking.bookingId}`;
  const query = new URL(address).searchParams;
  expect(query.get('details')).toBe(`How to join: ${page}`);
  expect(query.get('location')).toBe(page);
  expect(address).not.toContain('room');
});

test('of a session at the practice such a calendar learns the place', () => {
  const booking = bookingFixture({ mode: SessionMode.IN_PERSON, location: '12 Lake Road' });
  const address = googleCalendarUrl(booking, 'Sukoon', 'https://sukoon.example') ?? '';
  expect(new URL(address).searchParams.get('location')).toBe('12 Lake Road');
});

test('an ended booking has a title and a text', () => {
  expect(endedWords(bookingFixture({ state: EXPIRED }), 'two weeks', true).lead).toBe(
    'Payment was cancelled or expired',
  );
  expect(endedWords(bookingFixture({ state: PAID_UNPLACED }), 'two weeks').text).toContain('₹500');
});

test.each([
  [PAID_UNPLACED, PaymentState.REFUNDING],
  [PAID_UNPLACED, PaymentState.REFUNDED],
  [CANCELLED, PaymentState.REFUNDING],
  [CANCELLED, PaymentState.REFUNDED],
])('money of a booking that is %s and %s takes as long as the practice says', (state, money) => {
  const booking = bookingFixture({ state, paymentState: money });
  expect(endedWords(booking, 'two weeks').text).toContain('within two weeks');
  expect(endedWords(booking, '5-7 business days').text).toContain('within 5-7 business days');
});

test.each([
  [PaymentState.PENDING, 'Nothing was charged'],
  [PaymentState.CLAIMED, 'This session is cancelled.'],
  [PaymentState.PAID, 'This session is cancelled.'],
  [PaymentState.REFUNDING, 'Your money goes back to you'],
  [PaymentState.REFUNDED, 'Refund complete'],
])('a cancelled booking whose payment is %s says what becomes of the money', (state, lead) => {
  const words = endedWords(bookingFixture({ state: CANCELLED, paymentState: state }), 'two weeks');
  expect(words.lead).toBe(lead);
  const title =
    state === PaymentState.PENDING ? 'This time was given back' : 'Your session is cancelled';
  expect(words.title).toBe(title);
});

test('the hold is counted by the second and announced by the minute', () => {
  expect(clockText(899_001)).toBe('15:00');
  expect(clockText(5000)).toBe('0:05');
  expect(minuteToTell(600_000)).toBe('');
  expect(minuteToTell(299_000)).toContain('five more minutes');
  expect(minuteToTell(0)).toContain('no longer kept');
});
