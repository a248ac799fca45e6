/** "Payment Verification": how long the page asks, how that ends, and the client's own claim. */
import { Code } from '@connectrpc/connect';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { BookingState } from '@/gen/booking/v1/booking_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { BOOKING_ID, bookingFixture } from '@/testing/booking-fixture';
import { beginEach, heading, openPage } from '@/testing/booking-page';
import { BookingServer } from '@/testing/booking-server';
import { ASHA } from '@/testing/played-client';
import { refusal } from '@/testing/refusal';
import BookingFlowPage from '../routes/booking-flow';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

const VERIFICATION = `/booking-flow?service=general-consultation&step=confirmation&b=${BOOKING_ID}`;
const AWAY = refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE');

const NOW = new Date('2026-11-22T05:30:00Z');

let server: BookingServer;

beginEach({ user: ASHA });

beforeEach(() => {
  server = new BookingServer();
  server.booking = bookingFixture({ checkoutOpened: true });
});

function open() {
  return openPage(BookingFlowPage, { path: VERIFICATION, transport: server.transport() });
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

/** Turns of the event loop, which no test stops. */
const later = setImmediate;

/** Lets calls that were made be answered; no time passes on the page. */
async function settle(): Promise<void> {
  await act(async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      await new Promise<void>((resolve) => void later(resolve));
      await vi.advanceTimersByTimeAsync(0);
    }
  });
}

/** The page asks at multiples of it; each call is answered before time goes on. */
const STEP_SECONDS = 5;

async function pass(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += STEP_SECONDS) {
    await act(() => vi.advanceTimersByTimeAsync(STEP_SECONDS * 1000));
    await settle();
  }
}

/** What the page says when the seconds are over, in its alert and as a toast. */
async function expectEnd(seconds: number, words: string) {
  await pass(seconds);
  expect(main().getAllByText(words).length).toBeGreaterThan(0);
  expectFailure('Payment Verification Failed', words);
}

test('a payment that does not come is asked for by the clock, and each end has its words', async () => {
  // From here on only this test moves the page's time.
  vi.useFakeTimers({ now: NOW });
  open();
  await settle();
  expect(screen.getByRole('heading', { level: 1, name: 'Payment Verification' })).toBeTruthy();
  expect(timer()).toContain('0:40');
  await pass(20);
  expect(timer()).toContain('0:20');
  await expectEnd(20, 'Payment verification timeout after 40 seconds.');
  expect(server.checks).toBe(4);

  const again = screen.getByRole('button', { name: 'Try Again' });
  fireEvent.click(again);
  await settle();
  expect(timer()).toContain('5:00');
  await expectEnd(300, 'Payment verification timeout or max retries exceeded');
  expect(server.checks).toBe(34);

  server.checkFailure = AWAY;
  fireEvent.click(again);
  await expectEnd(300, 'Unable to verify payment. Please contact support.');

  const before = server.checks;
  fireEvent.click(again);
  await pass(30);
  expect(server.checks).toBe(before + 3);
  server.checkFailure = undefined;
  await expectEnd(270, 'Payment verification timeout. Please try again or contact support.');
});

test('a claim asks first, is not believed, and waits for the money', async () => {
  const person = open();
  const claim = await screen.findByRole('button', { name: 'I Completed Payment' });
  expect(timer()).toMatch(/0:[1-4]\d/);
  await expectAccessible();
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
