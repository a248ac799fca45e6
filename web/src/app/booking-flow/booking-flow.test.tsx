/** The booking flow as a person goes through it, with a server that a test plays. */
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { CheckoutOptions } from '@/features/payments/checkout-window';
import { BookingState, MailState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { BOOKING_ID, bookingFixture } from '@/testing/booking-fixture';
import { beginEach, heading, openPage } from '@/testing/booking-page';
import { BookingServer } from '@/testing/booking-server';
import { ASHA, beginAs } from '@/testing/played-client';
import { practiceFixture } from '@/testing/practice-fixture';
import BookingFlowPage from '../routes/booking-flow';
// Loaded with the tests, so that none of them waits for it.
import './schedule-screen';
import './sign-in-screen';

const identity = vi.hoisted(() => ({ signInWithOtp: vi.fn(), verifyOtp: vi.fn() }));

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth(identity));

const FLOW = '/booking-flow?service=general-consultation';

let server: BookingServer;
let checkout: CheckoutOptions | undefined;
/** The window says that a bank has declined. */
let decline: (failure: { error: { reason: string } }) => void;

beginEach({ user: ASHA });

beforeEach(() => {
  server = new BookingServer();
  checkout = undefined;
  window.Razorpay = class {
    constructor(options: CheckoutOptions) {
      checkout = options;
    }
    on(_event: string, listener: typeof decline) {
      decline = listener;
    }
    open() {}
  };
});

function open(path: string) {
  return openPage(BookingFlowPage, { path, transport: server.transport() });
}

test('a visitor is asked to sign in and comes back to the chosen time', async () => {
  beginAs(undefined);
  open(`${FLOW}&slot=2026-11-24T05:30:00Z`);
  await heading('Sign In Required');
  const link = await screen.findByRole('link', { name: 'Create New Account' });
  const back = new URL(link.getAttribute('href') ?? '', 'http://x').searchParams.get('return');
  expect(back).toBe(`${FLOW}&slot=2026-11-24T05:30:00Z&step=calendar-terms`);
  const steps = within(screen.getByRole('navigation', { name: 'Booking steps' }));
  expect(steps.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('Sign In'),
    expect.stringContaining('Schedule & Terms'),
    expect.stringContaining('Payment'),
    expect.stringContaining('Payment Verification'),
    expect.stringContaining('Final Confirmation'),
  ]);
  await expectAccessible();
});

test('a name, an address and one code sign in, and what was chosen stays', async () => {
  beginAs(undefined);
  identity.signInWithOtp.mockResolvedValue({ data: {}, error: null });
  identity.verifyOtp.mockImplementation(async () => {
    beginAs(ASHA);
    return { data: { user: { id: 'u1' }, session: { access_token: 't' } }, error: null };
  });
  const person = open(`${FLOW}&slot=2026-11-24T05:30:00Z`);
  await heading('Sign In Required');
  await person.click(await screen.findByRole('button', { name: 'Email me a code' }));
  await screen.findByRole('link', { name: 'Your name is required' });
  await expectAccessible();
  await person.type(screen.getByLabelText('Your name'), 'Asha Devi Rao');
  await person.type(screen.getByLabelText('Email'), 'asha@example.org');
  await person.click(screen.getByRole('button', { name: 'Email me a code' }));
  const code = await screen.findByLabelText('Code from our mail');
  await expectAccessible();
  const [asked] = identity.signInWithOtp.mock.calls[0] ?? [];
  expect(asked).toMatchObject({
    email: 'asha@example.org',
    options: {
      shouldCreateUser: true,
      data: { firstName: 'Asha Devi', lastName: 'Rao', phone: '' },
    },
  });
  expect(asked.options.emailRedirectTo).toContain('slot=2026-11-24T05:30:00Z');
  await person.type(code, '123456');
  await person.click(screen.getByRole('button', { name: 'Confirm' }));
  await heading('Book Your Session');
  expect(identity.verifyOtp).toHaveBeenCalledWith({
    email: 'asha@example.org',
    token: '123456',
    type: 'email',
  });
  expect(await screen.findByLabelText(/^11:00 am IST/)).toHaveProperty('checked', true);
});

test('a signed-in customer is welcomed on the first step', async () => {
  const person = open(`${FLOW}&step=auth`);
  await heading("You're Signed In!");
  const back = await screen.findByRole('link', { name: 'Back to Terms' });
  expect(back).toHaveProperty('pathname', '/services');
  await person.click(screen.getByRole('button', { name: 'Continue to Payment' }));
  await heading('Book Your Session');
});

test('time and agreement are asked for in the agreed words', async () => {
  const person = open(FLOW);
  await heading('Book Your Session');
  await screen.findByLabelText(/^11:00 am IST/);
  await person.click(screen.getByRole('button', { name: 'Continue to Payment' }));
  const toasts = within(screen.getByTestId('toasts'));
  expect(toasts.getByText('Please select a time')).toBeTruthy();
  expect(toasts.getByText('Choose your preferred appointment time to continue.')).toBeTruthy();

  await person.click(screen.getByLabelText(/^11:00 am IST/));
  await person.click(screen.getByRole('button', { name: 'Continue to Payment' }));
  expect(toasts.getByText('Agreement required')).toBeTruthy();
  expect(screen.queryByText('Ready to book!')).toBeNull();
  await expectAccessible();

  await person.click(screen.getByLabelText('I agree to these simple terms'));
  expect(screen.getByText('Ready to book!')).toBeTruthy();
  await expectAccessible();
  expect(server.requests).toHaveLength(0);
  const agreement = within(screen.getByRole('region', { name: 'Quick Agreement' }));
  for (const [label, href] of [
    [/^Terms/, '/terms'],
    [/^Privacy/, '/privacy'],
    [/^Refunds/, '/refunds'],
  ] as const) {
    const link = agreement.getByRole('link', { name: label });
    expect(link.getAttribute('href')).toBe(href);
    expect(link.getAttribute('target')).toBe('_blank');
  }
});

test('a time that was just taken is reported at once, and what was typed stays', async () => {
  const person = open(FLOW);
  await person.click(await screen.findByLabelText(/^12:00 pm IST/));
  await person.click(screen.getByLabelText('I agree to these simple terms'));
  const leaves = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  expect(leaves()).toBe(true);
  await person.type(screen.getByLabelText(/Anything we should know/), 'my notes');
  // They are kept nowhere, so the browser asks.
  expect(leaves()).toBe(false);
  server.taken.add(12);
  await person.click(screen.getByRole('button', { name: 'Continue to Payment' }));

  await screen.findByText(/12:00 pm IST was just taken/);
  expect(screen.getByLabelText(/Anything we should know/)).toHaveProperty('value', 'my notes');
  await waitFor(() =>
    expect(screen.getByLabelText(/12:00 pm IST/)).toHaveProperty('disabled', true),
  );
  await person.click(screen.getByRole('button', { name: '1:00 pm IST' }));
  await person.click(screen.getByRole('button', { name: 'Continue to Payment' }));
  await heading('Complete Your Payment');
  expect(server.requests.map((request) => request.contact?.notes)).toEqual([
    'my notes',
    'my notes',
  ]);
  const keys = server.requests.map((request) => request.idempotencyKey);
  expect(new Set(keys).size).toBe(2);
  // Each says what the page has shown.
  for (const { shown } of server.requests) {
    expect(shown).toMatchObject({ ...practiceFixture().legalVersions, noticeHours: 24 });
  }
});

test('contact errors are summed up and never cost what was typed', async () => {
  beginAs({ ...ASHA, lastName: '' });
  const person = open(FLOW);
  await person.click(await screen.findByLabelText(/^11:00 am IST/));
  await person.click(screen.getByLabelText('I agree to these simple terms'));
  await person.click(screen.getByRole('button', { name: 'Continue to Payment' }));
  await screen.findByRole('link', { name: 'Last name is required' });
  expect(screen.getByLabelText('Last name').getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByLabelText('First name')).toHaveProperty('value', 'Asha');
  expect(server.requests).toHaveLength(0);
});

test('from payment to confirmation, by the stream', async () => {
  server.booking = bookingFixture();
  const person = open(`${FLOW}&step=payment&b=${BOOKING_ID}`);
  await heading('Complete Your Payment');
  const pay = await screen.findByRole('button', { name: 'Pay ₹500' });
  await waitFor(() => expect(pay.getAttribute('aria-disabled')).toBeNull());
  expect(sessionStorage.getItem('paymentLinkId')).toBe('order_1');
  expect(
    screen.getByText(/adds a fee of its own to the price, that fee isn't refunded/),
  ).toBeTruthy();
  await expectAccessible();

  await person.click(pay);
  await waitFor(() => expect(checkout?.order_id).toBe('order_1'));
  expect(checkout).toMatchObject({
    key: 'key_1',
    amount: 50_000,
    currency: 'INR',
    prefill: { name: 'Asha Rao', email: 'asha@example.org' },
    config: { display: { hide: [{ method: 'upi', flows: ['collect'] }] } },
  });
  checkout?.modal.ondismiss();
  await screen.findByText('You can retry the payment anytime.');
  expect(within(screen.getByTestId('toasts')).getByText('Payment Cancelled')).toBeTruthy();
  await expectAccessible();
  await person.click(screen.getByRole('button', { name: 'Retry Payment' }));

  checkout?.handler({
    razorpay_payment_id: 'pay_1',
    razorpay_order_id: 'order_1',
    razorpay_signature: 'ab',
  });
  await heading('Payment Verification');
  await screen.findByText('Payment Successful!');
  expect(screen.getByText(/Your money is safe/)).toBeTruthy();
  await waitFor(() => expect(server.answers).toEqual(['pay_1']));

  server.tell({ state: BookingState.CONFIRMED });
  await screen.findByText('Payment Verified!');
  await heading('Booking Confirmed!');
  const own = await screen.findByRole('link', { name: 'Your sessions' });
  expect(own.getAttribute('href')).toBe('/account/sessions');
  // The reference is that of the mails; the long id is for programs.
  expect(await screen.findByText('A1A1A1A1')).toBeTruthy();
  expect(document.body.textContent).not.toContain('bkg_');
  const link = await screen.findByRole('link', { name: "Open the session's page" });
  expect(link.getAttribute('href')).toBe(`/join/${BOOKING_ID}`);
  // The room is shown in its time, by that page alone.
  server.tell({ state: BookingState.MEETING_SCHEDULED, joinUrl: 'https://meet.example/room' });
  server.tell({ mailState: MailState.FAILED });
  const trouble =
    "Payment successful, but we couldn't send the confirmation email. We'll contact you shortly.";
  const toast = (await within(screen.getByTestId('toasts')).findByText(trouble)).parentElement;
  expect(toast?.textContent).toContain('Email Notification Issue');
  expect(toast?.closest('[data-variant]')?.getAttribute('data-variant')).toBe('destructive');
  await expectAccessible();
  expect(document.body.innerHTML).not.toContain('meet.example');
});

test('a declined card is told in words, and the same order can be paid again', async () => {
  server.booking = bookingFixture();
  const person = open(`${FLOW}&step=payment&b=${BOOKING_ID}`);
  const pay = await screen.findByRole('button', { name: 'Pay ₹500' });
  await waitFor(() => expect(pay.getAttribute('aria-disabled')).toBeNull());
  await person.click(pay);
  await waitFor(() => expect(checkout?.order_id).toBe('order_1'));
  decline({ error: { reason: 'payment_failed' } });
  checkout?.modal.ondismiss();
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('The payment did not go through');
  await expectAccessible();
  checkout = undefined;
  await person.click(await screen.findByRole('button', { name: 'Retry Payment' }));
  await waitFor(() => expect(checkout).toMatchObject({ order_id: 'order_1' }));
});

test('an order that cannot be made is said in words, with a way to try again', async () => {
  server.booking = bookingFixture();
  server.orderFailures = 1;
  const person = open(`${FLOW}&step=payment&b=${BOOKING_ID}`);
  await screen.findByText('Failed to create order. Please try again.');
  await expectAccessible();
  expect(screen.getByText('ref-1')).toBeTruthy();
  await person.click(screen.getByRole('button', { name: 'Pay ₹500' }));
  await screen.findByText('Payment system is loading. Please try again.');
  await person.click(screen.getByRole('button', { name: 'Try again' }));
  const pay = screen.getByRole('button', { name: 'Pay ₹500' });
  await waitFor(() => expect(pay.getAttribute('aria-disabled')).toBeNull());
});

test('a press that is too early says so and is done later', async () => {
  server.booking = bookingFixture();
  let arrive = () => {};
  server.ready = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const person = open(`${FLOW}&step=payment&b=${BOOKING_ID}`);
  await person.click(await screen.findByRole('button', { name: 'Pay ₹500' }));
  await screen.findByText('Payment system is loading. Please try again.');
  expect(checkout).toBeUndefined();
  arrive();
  await waitFor(() => expect(checkout?.order_id).toBe('order_1'));
});

test('Back gives the time back while checkout was never opened', async () => {
  server.booking = bookingFixture();
  const person = open(`${FLOW}&step=payment&b=${BOOKING_ID}`);
  await person.click(await screen.findByRole('button', { name: 'Back' }));
  await heading('Book Your Session');
  expect(server.released).toBe(1);
});

test('Back keeps the time once checkout was opened', async () => {
  server.booking = bookingFixture({
    checkoutOpened: true,
    state: BookingState.AWAITING_PAYMENT,
  });
  const person = open(`${FLOW}&step=payment&b=${BOOKING_ID}`);
  await person.click(await screen.findByRole('button', { name: 'Back' }));
  await heading('Book Your Session');
  expect(server.released).toBe(0);
});

test('a reload after the money moved finds the confirmed session', async () => {
  server.booking = bookingFixture({ state: BookingState.CONFIRMED });
  open(`${FLOW}&step=payment&b=${BOOKING_ID}`);
  await heading('Booking Confirmed!');
});

test("a session that was confirmed on the customer's word is not said to be paid", async () => {
  // Another id, because a document congratulates once on each booking.
  const facts = { bookingId: `bkg_${'c3'.repeat(16)}`, paymentState: PaymentState.CLAIMED };
  server.booking = bookingFixture({ state: BookingState.CONFIRMED, ...facts });
  open(`${FLOW}&step=payment&b=${facts.bookingId}`);
  await heading('Booking Confirmed!');
  await screen.findByText('Price');
  expect(screen.queryByText('Paid')).toBeNull();
  await screen.findByText('Your session is booked.');
  server.tell({ mailState: MailState.FAILED });
  const trouble = "We couldn't send the confirmation email. We'll contact you shortly.";
  await screen.findByText(new RegExp(`^${trouble} Your booking stands`));
  await screen.findByText(trouble);
  expect(document.body.textContent).not.toMatch(/Payment (Verified|successful)/i);
});

test.each([
  [BookingState.EXPIRED, 'Your time was released'],
  [BookingState.CANCELLED, 'This time was given back'],
  [BookingState.PAID_UNPLACED, 'Your payment came after your time was gone'],
])('an ended booking (%s) says so and offers a new time', async (state, title) => {
  server.booking = bookingFixture({ state });
  const person = open(`${FLOW}&step=payment&b=${BOOKING_ID}`);
  await heading(title);
  await expectAccessible();
  await person.click(screen.getByRole('button', { name: 'Choose a New Time' }));
  await heading('Book Your Session');
});

test.each([
  { paymentState: PaymentState.CLAIMED },
  { paymentState: PaymentState.FAILED, checkoutOpened: true },
])('a session cancelled before its money came is promised nothing %#', async (facts) => {
  server.booking = bookingFixture({ state: BookingState.CANCELLED, ...facts });
  open(`${FLOW}&step=confirmed&b=${BOOKING_ID}`);
  await heading('Your session is cancelled');
  expect(screen.getByText(/No payment has reached us/)).toBeTruthy();
  expect(screen.queryByText(/goes back|went back|Nothing was charged/)).toBeNull();
});

test("somebody else's booking does not exist", async () => {
  open(`${FLOW}&step=payment&b=${BOOKING_ID}`);
  await screen.findByText('Booking details not found');
});
