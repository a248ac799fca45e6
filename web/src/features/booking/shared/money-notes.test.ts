/** What the pages say of money that went back, or should have. */
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { BookingState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { MoneySchema } from '@/gen/common/v1/money_pb';
import { bookingFixture } from '@/testing/booking-fixture';
import { isSettled } from './booking-state';
import { endedWords } from './components/ended-panel';
import { moneyNotes, moneyRow } from './money-notes';

const inr = (rupees: number) =>
  create(MoneySchema, { minorUnits: BigInt(rupees * 100), currencyCode: 'INR' });
const CONFIRMED = { state: BookingState.CONFIRMED, paid: inr(450) };

test.each([
  [PaymentState.PAID, 'Paid', '₹450'],
  [PaymentState.REFUNDING, 'To be refunded', '₹450'],
  [PaymentState.REFUNDED, 'Refunded', '₹450'],
  [PaymentState.REFUND_FAILED, 'Refund', 'It did not go through'],
])('a session that stands says where its money is: %s', (paymentState, label, value) => {
  expect(moneyRow(bookingFixture({ ...CONFIRMED, paymentState }))).toEqual({ label, value });
});

test.each([
  [BookingState.CANCELLED, 'We owe you ₹500'],
  [BookingState.PAID_UNPLACED, 'We owe you ₹500'],
])('a refund that failed for good is owed, and not on its way', (state, lead) => {
  const paymentState = PaymentState.REFUND_FAILED;
  const booking = bookingFixture({ state, paymentState, refundOwed: inr(500) });
  expect(endedWords(booking, '5 days')).toMatchObject({ lead, tone: 'warn' });
  expect(isSettled(booking)).toBe(false);
});

test('money that came by the bank is not promised once more', () => {
  const paymentState = PaymentState.REFUNDED;
  const state = BookingState.CANCELLED;
  const booking = bookingFixture({ state, paymentState, givenByBank: inr(500) });
  expect(endedWords(booking, '5 days').lead).toBe('Your bank has given you ₹500');
});

test('a refund that waits for a dispute is not said to be on its way', () => {
  const paymentState = PaymentState.REFUNDING;
  const state = BookingState.CANCELLED;
  const words = endedWords(bookingFixture({ state, paymentState }), '5 days');
  expect(words.lead).toBe('Your money goes back to you');
  expect(words.text).toContain('We write to you when it is on its way');
  const late = bookingFixture({ state: BookingState.PAID_UNPLACED, paymentState });
  const lateWords = endedWords(late, '5 days').text;
  expect(lateWords).toContain('We write to you when it is on its way');
  // Of a part that the bank gave, the rest is named.
  const booking = bookingFixture({ state, paymentState, givenByBank: inr(200) });
  const rest = endedWords(booking, '5 days');
  expect(rest.lead).toBe('Your bank has given you ₹200');
  expect(rest.text).toContain('The rest goes back to your original payment method');
});

test('a part that failed is named while the other sessions stand', () => {
  const paymentState = PaymentState.PAID;
  const booking = bookingFixture({ ...CONFIRMED, paymentState, refundOwed: inr(150) });
  expect(moneyNotes(booking).map(({ title }) => title)).toEqual(['We owe you ₹150']);
});
