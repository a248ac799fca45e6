import { expect, test } from 'vitest';
import { BookingState } from '@/gen/booking/v1/booking_service_pb';
import { bookingFixture } from '@/testing/booking-fixture';
import { afterSignIn, currentStep } from './current-step';
import { type FlowUrl, parseFlowUrl } from './flow-url';

function url(query: string): FlowUrl {
  return parseFlowUrl(new URLSearchParams(`service=meditation&${query}`));
}

const none = undefined;
const { HELD, AWAITING_PAYMENT, CONFIRMED, MEETING_SCHEDULED, EXPIRED } = BookingState;

test.each([
  ['', 'calendar-terms'],
  ['step=auth', 'auth'],
  ['step=calendar-terms', 'calendar-terms'],
  ['step=payment', 'calendar-terms'],
  ['step=confirmed', 'calendar-terms'],
  ['b=bkg_1', 'payment'],
  ['step=confirmation&b=bkg_1', 'confirmation'],
])('signed in, "%s" shows %s', (query, step) => {
  expect(currentStep({ url: url(query), signedIn: true, booking: none })).toBe(step);
});

test.each(['', 'step=calendar-terms', 'step=payment&b=bkg_1', 'step=confirmed&b=bkg_1'])(
  'a visitor signs in first: "%s"',
  (query) => {
    expect(currentStep({ url: url(query), signedIn: false, booking: none })).toBe('auth');
  },
);

test.each([
  [HELD, 'payment', 'payment'],
  [HELD, 'confirmation', 'confirmation'],
  [HELD, 'confirmed', 'confirmation'],
  [AWAITING_PAYMENT, 'confirmed', 'confirmation'],
  [CONFIRMED, 'payment', 'confirmed'],
  [CONFIRMED, 'confirmation', 'confirmed'],
  [MEETING_SCHEDULED, 'payment', 'confirmed'],
  [EXPIRED, 'confirmed', 'payment'],
  [EXPIRED, 'confirmation', 'confirmation'],
])('state %s under step %s shows %s', (state, asked, step) => {
  const booking = bookingFixture({ state });
  const known = { url: url(`step=${asked}&b=bkg_1`), signedIn: true, booking };
  expect(currentStep(known)).toBe(step);
});

test('signing in leads past the first step and keeps the choices', () => {
  const chosen = 'slot=2026-11-24T05:30:00Z';
  expect(afterSignIn(url(`step=auth&${chosen}`))).toMatchObject({
    step: 'calendar-terms',
    slot: '2026-11-24T05:30:00Z',
  });
  expect(afterSignIn(url('step=confirmed&b=bkg_1')).step).toBe('confirmed');
});
