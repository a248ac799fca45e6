/** What goes wrong on the way, and what the page says and does then. */
import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { CheckoutOptions } from '@/features/payments/checkout-window';
import { BookingState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { CatalogueService } from '@/gen/catalogue/v1/catalogue_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { BOOKING_ID, bookingFixture } from '@/testing/booking-fixture';
import { beginEach, heading, openPage } from '@/testing/booking-page';
import { BookingServer } from '@/testing/booking-server';
import { ASHA } from '@/testing/played-client';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import BookingFlowPage from '../routes/booking-flow';
// Loaded with the tests, so that none of them waits for it.
import './schedule-screen';

const auth = vi.hoisted(() => ({ signOut: vi.fn(async () => {}) }));
vi.mock('@/lib/auth', async () => ({
  ...(await import('@/testing/played-client')).playedAuth(),
  ...auth,
}));

const gone = vi.hoisted(() => ({ to: [] as string[] }));
vi.mock('@/lib/use-go', () => ({ useGo: () => (to: string) => void gone.to.push(to) }));

const FLOW = '/booking-flow?service=general-consultation';
const SLOT = '2026-11-24T05:30:00Z';

let server: BookingServer;

beginEach({ user: ASHA });

beforeEach(() => {
  server = new BookingServer();
  gone.to = [];
});

function open(path: string) {
  return openPage(BookingFlowPage, { path, transport: server.transport() });
}

const steps = () => screen.queryByRole('navigation', { name: 'Booking steps' });

/** Everything that the page has said in its heading and its steps. */
function listen(): string[] {
  const said: string[] = [];
  const note = () => {
    const done = steps()?.querySelectorAll('[data-state="done"]').length ?? 0;
    said.push(`${screen.queryByRole('heading', { level: 1 })?.textContent} ${done}`);
  };
  new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
  return said;
}

test.each(['payment', 'confirmed'])(
  'of a booking that is not there nothing is said to be done (%s)',
  async (step) => {
    const said = listen();
    open(`${FLOW}&step=${step}&b=${BOOKING_ID}`);
    await screen.findByText('Booking details not found');
    await heading('Booking Not Found');
    expect(steps()).toBeNull();
    expect(document.body.textContent).not.toContain('Thank you');
    expect(said.join()).not.toMatch(/Confirmed|Payment|[1-9]/);
    await expectAccessible();
  },
);

test('a service that is not offered leads to those that are', async () => {
  const transport = createRouterTransport(({ service }) =>
    service(CatalogueService, {
      getService: () => {
        throw refusal(Code.NotFound, 'SERVICE_NOT_FOUND');
      },
    }),
  );
  renderApp(<BookingFlowPage />, { path: '/booking-flow?service=levitation', transport });
  await waitFor(() => expect(gone.to).toEqual(['/services']));
});

test('before the answer no step is done, and after it the right one is shown', async () => {
  const said = listen();
  server.booking = bookingFixture({ state: BookingState.CONFIRMED });
  open(`${FLOW}&step=confirmed&b=${BOOKING_ID}`);
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Your Booking');
  await heading('Booking Confirmed!');
  expect(said.at(-1)).toBe('Booking Confirmed! 4');
  const early = said.filter((words) => words.startsWith('Your Booking'));
  expect(early.filter((words) => !words.endsWith(' 0'))).toEqual([]);
});

test.each([
  { state: BookingState.CANCELLED, paymentState: PaymentState.REFUNDED },
  { state: BookingState.PAID_UNPLACED, paymentState: PaymentState.REFUNDING },
])('what has ended stands in no step %#', async (facts) => {
  server.booking = bookingFixture(facts);
  open(`${FLOW}&step=confirmed&b=${BOOKING_ID}`);
  await screen.findByRole('button', { name: 'Choose a New Time' });
  expect(steps()).toBeNull();
});

async function readyToGoOn() {
  const person = open(`${FLOW}&slot=${SLOT}`);
  await screen.findByLabelText(/^11:00 am IST/);
  await person.click(screen.getByLabelText('I agree to these simple terms'));
  return person;
}

test('a request that a lost connection stopped is made again when it is back', async () => {
  const person = await readyToGoOn();
  const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  server.refusals = [new ConnectError('Failed to fetch', Code.Unknown)];
  await person.click(screen.getByRole('button', { name: 'Continue to Payment' }));
  await screen.findByText('You are offline');
  await expectAccessible();

  online.mockReturnValue(true);
  fireEvent(window, new Event('online'));
  await heading('Complete Your Payment');
  expect(screen.queryByText('You are offline')).toBeNull();
  const keys = server.requests.map((request) => request.idempotencyKey);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
});

test('a desk that is down is said so, and what was typed is there for another try', async () => {
  const person = await readyToGoOn();
  await person.type(screen.getByLabelText(/^Anything we should know\?/), 'Please speak slowly.');
  server.refusals = [refusal(Code.Unavailable, 'UPSTREAM_UNAVAILABLE')];
  await person.click(screen.getByRole('button', { name: 'Continue to Payment' }));
  const notice = within(await screen.findByRole('alert'));
  expect(notice.getByText('This part is not available right now')).toBeTruthy();
  expect(document.body.textContent).not.toMatch(/connect error|unavailable\]|the words of/i);
  await expectAccessible();
  const notes = screen.getByLabelText(/^Anything we should know\?/);
  expect(notes).toHaveProperty('value', 'Please speak slowly.');
  await person.click(notice.getByRole('button', { name: 'Try again' }));
  await heading('Complete Your Payment');
});

test('what the server has refused is not asked again by a connection that is back', async () => {
  const person = await readyToGoOn();
  server.refusals = [refusal(Code.ResourceExhausted, 'RATE_LIMITED')];
  await person.click(screen.getByRole('button', { name: 'Continue to Payment' }));
  await screen.findByText('One moment, please');
  fireEvent(window, new Event('online'));
  await screen.findByText('One moment, please');
  expect(server.requests).toHaveLength(1);
});

test('a session that was refused leads to signing in, and back to the chosen time', async () => {
  const person = await readyToGoOn();
  const referenceId = '0193a5b2c4d6e8f00123456789abcdef';
  server.refusals = [refusal(Code.Unauthenticated, 'TOKEN_INVALID', { referenceId })];
  await person.click(screen.getByRole('button', { name: 'Continue to Payment' }));
  const notice = within(await screen.findByRole('alert'));
  expect(notice.getByText('Please sign in again')).toBeTruthy();
  expect(notice.queryByRole('button', { name: 'Try again' })).toBeNull();
  // A reference that is read out has eight characters.
  expect(notice.getByText('89abcdef')).toBeTruthy();
  expect(document.body.textContent).not.toContain(referenceId);
  await expectAccessible();

  await person.click(notice.getByRole('button', { name: 'Sign In' }));
  await waitFor(() => expect(gone.to).toHaveLength(1));
  expect(auth.signOut).toHaveBeenCalled();
  const address = new URL(gone.to[0] ?? '', 'http://x');
  expect(address.pathname).toBe('/sign-in');
  const back = new URL(address.searchParams.get('return') ?? '', 'http://x');
  expect(back.pathname).toBe('/booking-flow');
  expect(back.searchParams.get('slot')).toBe(SLOT);
  expect(back.searchParams.get('step')).toBe('calendar-terms');
});

test('the button that takes the next free time leaves the focus on that time', async () => {
  const person = open(FLOW);
  (await screen.findByRole('button', { name: 'Take this time' })).focus();
  await person.keyboard('{Enter}');
  await waitFor(() => expect(document.activeElement).toHaveProperty('value', SLOT));
  expect(document.activeElement).toHaveProperty('checked', true);
  expect(screen.queryByRole('button', { name: 'Take this time' })).toBeNull();
});

test('taking a time offered for a lost one leaves the focus on that time', async () => {
  const person = await readyToGoOn();
  server.taken.add(11);
  await person.click(screen.getByRole('button', { name: 'Continue to Payment' }));
  await screen.findByText(/was just taken/);
  await expectAccessible();
  await person.click(await screen.findByRole('button', { name: '12:00 pm IST' }));
  const taken = '2026-11-24T06:30:00Z';
  await waitFor(() => expect(document.activeElement).toHaveProperty('value', taken));
});

/** A payment window that keeps the focus as long as it is open. */
function playWindow() {
  const overlay = document.createElement('div');
  const frame = document.createElement('iframe');
  overlay.append(frame);
  overlay.tabIndex = -1;
  const keep = (event: FocusEvent) => {
    if (!overlay.contains(event.target as Node)) overlay.focus();
  };
  const play = { options: undefined as CheckoutOptions | undefined, close: () => overlay.remove() };
  window.Razorpay = class {
    constructor(options: CheckoutOptions) {
      play.options = options;
    }
    on() {}
    open() {
      document.body.append(overlay);
      document.addEventListener('focusin', keep);
      overlay.focus();
    }
  };
  play.close = () => {
    document.removeEventListener('focusin', keep);
    overlay.remove();
  };
  return play;
}

test('the heading has the focus when the payment window has closed over a new step', async () => {
  server.booking = bookingFixture();
  const play = playWindow();
  const person = open(`${FLOW}&step=payment&b=${BOOKING_ID}`);
  const pay = await screen.findByRole('button', { name: 'Pay ₹500' });
  await waitFor(() => expect(pay.getAttribute('aria-disabled')).toBeNull());
  await person.click(pay);
  await waitFor(() => expect(play.options).toBeDefined());

  // The stream is quicker than the window.
  server.tell({ state: BookingState.CONFIRMED });
  const confirmed = await heading('Booking Confirmed!');
  expect(document.activeElement).not.toBe(confirmed);
  play.close();
  await waitFor(() => expect(document.activeElement).toBe(confirmed));
});
