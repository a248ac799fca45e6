/** "Payment Verification": how long the page asks, what it says in the end, and the client's claim. */
import { Code } from '@connectrpc/connect';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { BookingState } from '@/gen/booking/v1/booking_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { BOOKING_ID, bookingFixture } from '@/testing/booking-fixture';
import { BookingServer } from '@/testing/booking-server';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import BookingFlowPage from '../routes/booking-flow';

vi.mock('@/lib/auth', () => {
  const names = { firstName: 'Asha', lastName: 'Rao', phone: '' };
  const user = { id: 'u1', email: 'asha@example.org', ...names };
  return { useAuth: () => ({ status: 'signed-in', user }) };
});

const VERIFICATION = `/booking-flow?service=general-consultation&step=confirmation&b=${BOOKING_ID}`;
const AWAY = refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE');

let server: BookingServer;

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: new Date('2026-11-22T05:30:00Z') });
  server = new BookingServer();
  server.booking = bookingFixture({ checkoutOpened: true });
});

afterEach(() => {
  vi.useRealTimers();
});

function open() {
  const page = (
    <main>
      <BookingFlowPage />
      <Toaster />
    </main>
  );
  renderApp(page, { path: VERIFICATION, transport: server.transport() });
  return userEvent.setup({ advanceTimers: vi.advanceTimersByTimeAsync });
}

async function heading(name: string) {
  return screen.findByRole('heading', { level: 1, name });
}

const timer = () => screen.getByRole('timer').textContent;
const main = () => within(screen.getByRole('main'));

/** The toast that is on the page now, to the letter. */
function expectFailure(title: string, text: string) {
  const card = screen.getByTestId('toasts').querySelector<HTMLElement>('[data-variant]');
  expect(card?.dataset.variant).toBe('destructive');
  expect(within(card as HTMLElement).getByText(title)).toBeTruthy();
  expect(within(card as HTMLElement).getByText(text)).toBeTruthy();
}

/** Lets the seconds go by, and finds what the page says then, in its alert and as a toast. */
async function expectEnd(seconds: number, words: string) {
  await vi.advanceTimersByTimeAsync(seconds * 1000);
  const [alert] = await main().findAllByText(words);
  expect(alert).toBeTruthy();
  expectFailure('Payment Verification Failed', words);
}

test('a payment that does not come is asked for by the clock, and each end has its words', async () => {
  const person = open();
  await heading('Payment Verification');
  expect(timer()).toMatch(/0:[34]\d/);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(timer()).toMatch(/0:[12]\d/);
  await expectEnd(20, 'Payment verification timeout after 40 seconds.');
  expect(server.checks).toBe(4);
  await expectAccessible();

  const again = screen.getByRole('button', { name: 'Try Again' });
  await person.click(again);
  expect(timer()).toMatch(/5:00|4:5\d/);
  await expectEnd(301, 'Payment verification timeout or max retries exceeded');
  expect(server.checks).toBe(34);

  server.checkFailure = AWAY;
  await person.click(again);
  await expectEnd(301, 'Unable to verify payment. Please contact support.');

  const before = server.checks;
  await person.click(again);
  await vi.advanceTimersByTimeAsync(31_000);
  expect(server.checks).toBe(before + 3);
  server.checkFailure = undefined;
  await expectEnd(271, 'Payment verification timeout. Please try again or contact support.');
});

test('a claim asks first, is not believed, and waits for the money', async () => {
  const person = open();
  const claim = await screen.findByRole('button', { name: 'I Completed Payment' });
  await person.click(claim);
  const dialog = screen.getByRole('dialog', { name: 'Have you completed the payment?' });
  await expectAccessible();
  // As Escape does it in a browser.
  fireEvent(dialog, new Event('close'));
  await waitFor(() => expect(screen.queryByText('Yes, I have paid')).toBeNull());
  await person.click(claim);
  await person.click(screen.getByRole('button', { name: 'Yes, I have paid' }));
  await screen.findByText('Your payment is being verified');
  expect(screen.queryByText('Your payment has arrived', { exact: false })).toBeNull();
  expect(screen.queryByRole('heading', { name: 'Booking Confirmed!' })).toBeNull();
  await expectAccessible();
  server.tell({ state: BookingState.CONFIRMED });
  await heading('Booking Confirmed!');
});

test('a time that was released while its payment was waited for says so', async () => {
  server.booking = bookingFixture({ state: BookingState.EXPIRED, checkoutOpened: true });
  open();
  await screen.findByText('Payment was cancelled or expired');
  expectFailure('Payment Failed', 'Unable to process payment. Booking cannot proceed.');
  await expectAccessible();
});
