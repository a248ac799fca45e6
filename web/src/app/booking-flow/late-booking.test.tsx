/** Sessions that start inside the cancellation limit, from the calendar to the confirmation. */
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LATE_TICK } from '@/features/booking/shared/late-booking';
import { BookingState } from '@/gen/booking/v1/booking_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { BOOKING_ID, bookingFixture, noticeOf } from '@/testing/booking-fixture';
import { beginEach, heading, openPage } from '@/testing/booking-page';
import { BookingServer } from '@/testing/booking-server';
import { ASHA } from '@/testing/played-client';
import { practiceFixture } from '@/testing/practice-fixture';
import BookingFlowPage from '../routes/booking-flow';
// Loaded with the tests, so that none of them waits for it.
import './schedule-screen';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

const FLOW = '/booking-flow?service=general-consultation';
const PAYMENT = `${FLOW}&step=payment&b=${BOOKING_ID}`;
/** The session of the fixtures is on 24 November at 11:00 am IST, that is 05:30 UTC. */
const TEN_HOURS_BEFORE = new Date('2026-11-23T19:15:00Z');
const LAST_MOMENT = new Date('2026-11-23T05:30:00Z');
const TERM = /You can cancel your session until/;
const NO_REFUND = "Once paid it can't be cancelled for a refund.";

let server: BookingServer;
let opened = 0;

beginEach({ user: ASHA, now: TEN_HOURS_BEFORE.toISOString() });

beforeEach(() => {
  server = new BookingServer();
  opened = 0;
  window.Razorpay = class {
    on() {}
    open() {
      opened += 1;
    }
  };
});

afterEach(() => {
  window.Razorpay = undefined;
});

function open(path: string, snapshot = practiceFixture()) {
  return openPage(BookingFlowPage, { path, transport: server.transport(), snapshot });
}

const tick = () => screen.queryByLabelText(LATE_TICK);
const goOn = () => screen.getByRole('button', { name: 'Continue to Payment' });

async function payButton() {
  const pay = await screen.findByRole('button', { name: 'Pay ₹500' });
  await waitFor(() => expect(pay.getAttribute('aria-disabled')).toBeNull());
  return pay;
}

test('a time inside the limit needs a consent, which is asked for once', async () => {
  const person = open(FLOW);
  await person.click(await screen.findByLabelText(/^11:00 am IST/));
  expect(screen.getByText('This session starts in 10 hours')).toBeTruthy();
  expect(screen.getByText(NO_REFUND)).toBeTruthy();
  expect(screen.queryByText(TERM)).toBeNull();

  await person.click(screen.getByLabelText('I agree to these simple terms'));
  expect(screen.queryByText('Ready to book!')).toBeNull();
  await person.click(goOn());
  const toasts = within(screen.getByTestId('toasts'));
  expect(toasts.getByText('Agreement required')).toBeTruthy();
  expect(document.activeElement).toBe(tick());
  expect(tick()?.getAttribute('aria-invalid')).toBe('true');
  expect(server.requests).toHaveLength(0);

  await expectAccessible();
  await person.click(screen.getByLabelText(LATE_TICK));
  expect(screen.getByText('Ready to book!')).toBeTruthy();
  await person.click(goOn());
  await heading('Complete Your Payment');
  expect(screen.getByText(NO_REFUND)).toBeTruthy();
  expect(tick()).toBeNull();
  await person.click(await payButton());
  await waitFor(() => expect(opened).toBe(1));

  // A reload asks no second time either.
  cleanup();
  open(PAYMENT);
  await heading('Complete Your Payment');
  await screen.findByText(NO_REFUND);
  expect(tick()).toBeNull();
});

test('the consent is for one time, and another time needs its own', async () => {
  const person = open(FLOW);
  await person.click(await screen.findByLabelText(/^11:00 am IST/));
  await person.click(screen.getByLabelText(LATE_TICK));
  await person.click(screen.getByLabelText(/^12:00 pm IST/));
  expect(screen.getByLabelText(LATE_TICK)).toHaveProperty('checked', false);
  await person.click(screen.getByLabelText(/^11:00 am IST/));
  expect(screen.getByLabelText(LATE_TICK)).toHaveProperty('checked', true);
});

test('payment that is opened by a link asks there, before anything is paid', async () => {
  server.booking = bookingFixture();
  const person = open(PAYMENT);
  await screen.findByText('This session starts in 10 hours');
  await person.click(await payButton());
  expect(document.activeElement).toBe(tick());
  expect(screen.getByText('Please tick this to go on')).toBeTruthy();
  expect(server.booking.checkoutOpened).toBe(false);
  await expectAccessible();

  await person.click(screen.getByLabelText(LATE_TICK));
  await person.click(await payButton());
  await waitFor(() => expect(opened).toBe(1));
});

test('a held time that comes inside the limit needs the consent then', async () => {
  vi.setSystemTime(LAST_MOMENT);
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: LAST_MOMENT });
  server.booking = bookingFixture();
  open(PAYMENT);
  await payButton();
  expect(screen.queryByText(NO_REFUND)).toBeNull();
  vi.advanceTimersByTime(60_000);
  await screen.findByText('This session starts in 23 hours');
  expect(tick()).toBeTruthy();
});

test('while there is time to cancel nothing is asked, and the term is true', async () => {
  vi.setSystemTime(LAST_MOMENT);
  const person = open(FLOW);
  await person.click(await screen.findByLabelText(/^11:00 am IST/));
  expect(screen.getByText(TERM)).toBeTruthy();
  expect(screen.queryByText(NO_REFUND)).toBeNull();
  expect(tick()).toBeNull();
});

test('the limit is the one that the practice has set', async () => {
  vi.setSystemTime(LAST_MOMENT);
  const snapshot = practiceFixture();
  Object.assign(snapshot.practice, { cancellationHours: 72, cancellationPolicy: noticeOf(72) });
  const person = open(FLOW, snapshot);
  const time = await screen.findByLabelText(/^11:00 am IST/);
  expect(screen.getByText(/until 72 hours before it starts/)).toBeTruthy();
  await person.click(time);
  expect(screen.getByText('This session starts in 24 hours')).toBeTruthy();
  expect(tick()).toBeTruthy();
});

test('the confirmation of such a session names no time that was over before', async () => {
  server.booking = bookingFixture({ state: BookingState.CONFIRMED });
  open(PAYMENT);
  await heading('Booking Confirmed!');
  const words = /It starts in less than 24 hours, so it can't be cancelled for a refund/;
  await screen.findByText(words);
  expect(document.body.textContent).not.toMatch(/ended on|until .*2026/);
});
