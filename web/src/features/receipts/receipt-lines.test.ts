import { expect, test } from 'vitest';
import { BookingState, PaymentState, SessionMode } from '@/gen/booking/v1/booking_service_pb';
import { bookingFixture } from '@/testing/booking-fixture';
import { gstFixture, receiptFixture, rupees } from '@/testing/receipt-fixture';
import { noReceiptReason } from './no-receipt';
import { customerOf, howOf, refundLines, sessionLines, taxLines } from './receipt-lines';
import { isReceiptDue, LOOK_AGAIN_SECONDS, nextLookMs } from './receipt-schedule';

const ZONE = { timeZone: 'Asia/Kolkata', label: 'IST' };

test('without registration no tax is stated', () => {
  expect(taxLines(receiptFixture())).toEqual([]);
});

test('with GST the amount is taken apart, to the paisa', () => {
  expect(taxLines(gstFixture())).toEqual([
    { label: 'Taxable value', value: '₹423.73' },
    { label: 'Central tax (CGST) 9%', value: '₹38.14' },
    { label: 'State tax (SGST) 9%', value: '₹38.13' },
  ]);
  const [, central] = taxLines(gstFixture({ gstPercent: 5 }));
  expect(central?.label).toBe('Central tax (CGST) 2.5%');
});

test('what went back is stated beside what was paid', () => {
  expect(refundLines(receiptFixture())).toEqual([]);
  expect(refundLines(receiptFixture({ refunded: rupees(200_50n) }))).toEqual([
    { label: 'Refunded', value: '-₹200.50' },
    { label: 'Remaining', value: '₹299.50' },
  ]);
  const [, remaining] = refundLines(receiptFixture({ refunded: rupees(500_00n) }));
  expect(remaining?.value).toBe('₹0');
});

test('it says for whom, for what, when and how', () => {
  const booking = bookingFixture();
  expect(customerOf(booking)).toBe('Asha Rao');
  expect(customerOf(bookingFixture({ contact: undefined }))).toBe('');
  expect(howOf(booking)).toBe('Online, with Meera Joshi');
  const there = bookingFixture({ mode: SessionMode.IN_PERSON, practitionerName: '' });
  expect(howOf(there)).toBe('In person');
  const [date, time] = sessionLines(booking, ZONE);
  expect(date).toMatch(/^Tuesday,? 24 November,? 2026$/);
  expect(time).toBe('11:00 am – 11:45 am IST');
});

test('a receipt is due for what is paid and placed, and for nothing else', () => {
  const { CONFIRMED, COMPLETED, HELD, CANCELLED } = BookingState;
  const due = (state: BookingState, paymentState: PaymentState) =>
    isReceiptDue(bookingFixture({ state, paymentState }));
  expect(due(CONFIRMED, PaymentState.PAID)).toBe(true);
  expect(due(COMPLETED, PaymentState.PAID)).toBe(true);
  expect(due(CONFIRMED, PaymentState.CLAIMED)).toBe(false);
  expect(due(HELD, PaymentState.PENDING)).toBe(false);
  expect(due(CANCELLED, PaymentState.PAID)).toBe(false);
});

test('a booking that ended says why it has no receipt; one that can get it says nothing', () => {
  const { EXPIRED, CANCELLED, RESCHEDULED, HELD, CONFIRMED } = BookingState;
  const { PENDING, CLAIMED } = PaymentState;
  const why = (state: BookingState, paymentState: PaymentState, checkoutOpened = false) =>
    noReceiptReason(bookingFixture({ state, paymentState, checkoutOpened }));
  expect(why(EXPIRED, PENDING)).not.toMatch(/still come/);
  expect(why(EXPIRED, PENDING, true)).toMatch(/still come/);
  expect(why(CANCELLED, PENDING, true)).toMatch(/no payment for it has reached us/);
  expect(why(CANCELLED, CLAIMED)).toMatch(/no payment for it has reached us/);
  expect(why(RESCHEDULED, PENDING)).toMatch(/moved/);
  expect(why(HELD, PENDING)).toBeUndefined();
  expect(why(CONFIRMED, CLAIMED)).toBeUndefined();
});

test('the page looks a few times, ever later, and then no more', () => {
  expect(nextLookMs(1)).toBe(1000);
  expect(nextLookMs(2)).toBe(2000);
  expect(nextLookMs(LOOK_AGAIN_SECONDS.length)).toBe(15_000);
  expect(nextLookMs(LOOK_AGAIN_SECONDS.length + 1)).toBeUndefined();
});
