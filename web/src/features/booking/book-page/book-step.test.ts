import { expect, test } from 'vitest';
import { BookingState } from '@/gen/booking/v1/booking_service_pb';
import { bookingFixture } from '@/testing/booking-fixture';
import { bookStep } from './book-step';
import { NOTHING_CHOSEN } from './book-url';

const CHOSEN = { ...NOTHING_CHOSEN, serviceId: 'meditation', slot: '2026-11-24T05:30:00Z' };
const BOOKED = { ...NOTHING_CHOSEN, bookingId: 'bkg_1' };

function stepOf(
  url: Partial<typeof NOTHING_CHOSEN>,
  known: { signedIn?: boolean; consented?: boolean; offered?: boolean; state?: BookingState } = {},
) {
  const { signedIn = false, consented = false, offered = true, state } = known;
  const booking = state === undefined ? undefined : bookingFixture({ state });
  const starts = [...(url.slots ?? []), url.slot ?? ''].filter((start) => start);
  const address = { ...NOTHING_CHOSEN, ...url };
  return bookStep({ url: address, starts, offered, signedIn, consented, booking });
}

test('without a chosen time of an offered service the calendar is shown', () => {
  for (const step of [undefined, 'calendar-terms', 'auth', 'payment', 'confirmation'] as const) {
    expect(stepOf({ step, serviceId: 'meditation' })).toBe('calendar');
    expect(stepOf({ ...CHOSEN, step }, { offered: false })).toBe('calendar');
  }
  expect(stepOf(CHOSEN)).toBe('calendar');
  expect(stepOf({ ...CHOSEN, step: 'auth', cancelled: true })).toBe('calendar');
});

test('a chosen time leads to the consent, then to the sign-in, then to the details', () => {
  expect(stepOf({ ...CHOSEN, step: 'calendar-terms' })).toBe('consent');
  expect(stepOf({ ...CHOSEN, step: 'auth' })).toBe('auth');
  expect(stepOf({ ...CHOSEN, step: 'auth' }, { consented: true })).toBe('auth');
  const signedIn = true;
  expect(stepOf({ ...CHOSEN, step: 'auth' }, { signedIn, consented: true })).toBe('details');
  // A reload forgets the signature, and it is asked for again.
  expect(stepOf({ ...CHOSEN, step: 'auth', returned: true }, { signedIn })).toBe('consent');
  expect(stepOf({ ...CHOSEN, step: 'payment' }, { signedIn })).toBe('consent');
});

test('the dates of a package lead on as one time does, and without them its calendar is shown', () => {
  const { slot, ...chosen } = CHOSEN;
  const dates = { ...chosen, packageId: 'starter', step: 'calendar-terms' as const };
  expect(stepOf({ ...dates, slots: [slot] })).toBe('consent');
  expect(stepOf(dates)).toBe('calendar');
});

test('a client who has agreed to these terms before is not asked again', () => {
  const known = { signedIn: true, consented: true };
  expect(stepOf({ ...CHOSEN, step: 'calendar-terms' }, known)).toBe('details');
  expect(stepOf({ ...CHOSEN, step: 'payment' }, known)).toBe('details');
});

test('a booking is shown to its owner as it stands, whatever the address says', () => {
  expect(stepOf({ ...BOOKED, step: 'payment' })).toBe('auth');
  const signedIn = true;
  for (const step of [undefined, 'calendar-terms', 'payment', 'confirmation'] as const) {
    const stands = (state?: BookingState) =>
      stepOf({ ...BOOKED, step }, { signedIn, ...(state !== undefined && { state }) });
    expect(stands()).toBe('payment');
    expect(stands(BookingState.HELD)).toBe('payment');
    expect(stands(BookingState.EXPIRED)).toBe('payment');
    expect(stands(BookingState.CONFIRMED)).toBe('confirmation');
    expect(stands(BookingState.MEETING_SCHEDULED)).toBe('confirmation');
  }
});
