/** /account/sessions/<booking> with a server that a test plays: its facts, and cancelling it. */
import { Code } from '@connectrpc/connect';
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { type Booking, BookingState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { DeskWay } from '@/gen/common/v1/money_pb';
import { expectAccessible } from '@/testing/accessible';
import { BOOKING_ID, packageFixture, slotsFixture } from '@/testing/booking-fixture';
import { beginEach, openPage, type Person } from '@/testing/booking-page';
import { OwnSessionsServer, ownBooking } from '@/testing/own-sessions-server';
import { ASHA, beginAs } from '@/testing/played-client';
import { rupees } from '@/testing/receipt-fixture';
import { refusal } from '@/testing/refusal';
import { OwnSessionPage } from './own-session-page';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

let server: OwnSessionsServer;

beginEach({ user: ASHA });

beforeEach(() => {
  server = new OwnSessionsServer();
  server.coming = [ownBooking()];
});

function open() {
  const page = () => <OwnSessionPage bookingId={BOOKING_ID} missing={() => <p>By phone?</p>} />;
  const path = `/account/sessions/${BOOKING_ID}`;
  return openPage(page, { path, transport: server.transport() });
}

const button = (name: string) => screen.findByRole('button', { name });
const look = () => act(() => void window.dispatchEvent(new Event('visibilitychange')));

/** The first press, and the second one when its sum is there. */
async function cancel(person: Person, sum = 'Cancel and get ₹1,500 back'): Promise<void> {
  await person.click(await button('Cancel this session'));
  await person.click(await button(sum));
}

const STARTER: Booking = {
  ...packageFixture(
    ['2026-11-24T05:30:00Z', '2026-12-01T05:30:00Z', '2026-12-08T05:30:00Z'].map(
      (time) => new Date(time),
    ),
  ),
  state: BookingState.CONFIRMED,
  paymentState: PaymentState.PAID,
};

test('it says what comes back now, until when, and what after', async () => {
  open();
  const words = '₹1,500 back until Mon, 23 Nov, 11:00 am IST; after that ₹0';
  expect(await screen.findByText(words)).toBeTruthy();
  expect(screen.getByText(/^Tuesday, 24 November 2026, 11:00 am/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Join' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'All your sessions' })).toBeTruthy();
  await expectAccessible();
});

test('the first press shows the sum and that it can be undone; closing changes nothing', async () => {
  const person = open();
  await person.click(await button('Cancel this session'));
  const dialog = within(await screen.findByRole('dialog', { name: 'Cancel this session?' }));
  expect(await dialog.findByText('₹1,500 comes back to you.')).toBeTruthy();
  expect(dialog.getByText('You can undo this for 3 minutes.')).toBeTruthy();
  await expectAccessible();
  await person.click(dialog.getByRole('button', { name: 'Keep it' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(server.cancels).toEqual([]);
});

test('the second press sends the sum that was shown; then it can be undone until it takes effect', async () => {
  const person = open();
  await cancel(person);
  expect(await screen.findByText('Your session is being cancelled')).toBeTruthy();
  expect(screen.getByText('11:03 am IST')).toBeTruthy();
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Cancel this session' })).toBeNull();
  const [sent] = server.cancels;
  expect(sent).toMatchObject({ bookingId: BOOKING_ID, sessionNumber: 0, expectedVersion: 1n });
  expect(sent?.shownRefund?.minorUnits).toBe(150_000n);
  await waitFor(() => {
    expect(document.activeElement?.textContent).toContain('is being cancelled');
  });
  await expectAccessible();

  server.takeEffect();
  look();
  expect(await screen.findByText('Cancelled; ₹1,500 is on its way back')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  await expectAccessible();
});

test('an undo restores everything, and cancelling again is a new decision', async () => {
  const person = open();
  await cancel(person);
  await person.click(await button('Undo'));
  expect(await screen.findByText('Nothing is cancelled')).toBeTruthy();
  await waitFor(() => {
    expect(document.activeElement?.textContent).toContain('Nothing is cancelled');
  });
  await expectAccessible();
  await cancel(person);
  expect(await screen.findByText('Your session is being cancelled')).toBeTruthy();
  expect(new Set(server.cancels.map((one) => one.idempotencyKey)).size).toBe(2);
});

test('where less comes back than was shown, the new sum is shown and asked about again', async () => {
  const person = open();
  await person.click(await button('Cancel this session'));
  await button('Cancel and get ₹1,500 back');
  server.refund = 75_000n;
  await person.click(await button('Cancel and get ₹1,500 back'));
  expect(await screen.findByText('Less comes back now')).toBeTruthy();
  expect(screen.getByText(/It was ₹1,500, and now it is ₹750/)).toBeTruthy();
  await expectAccessible();
  await person.click(await button('Cancel and get ₹750 back'));
  expect(await screen.findByText('Your session is being cancelled')).toBeTruthy();
  const [first, second] = server.cancels;
  expect(second?.shownRefund?.minorUnits).toBe(75_000n);
  expect(second?.idempotencyKey).not.toBe(first?.idempotencyKey);
});

test('a sum that was shown a while ago is looked up once more before anything is done', async () => {
  const person = open();
  await person.click(await button('Cancel this session'));
  await button('Cancel and get ₹1,500 back');
  server.atOnce = true;
  vi.setSystemTime(new Date('2026-11-22T05:31:00Z'));
  await person.click(await button('Cancel and get ₹1,500 back'));
  expect(await screen.findByText("This can't be undone any more")).toBeTruthy();
  expect(screen.getByText("It takes effect at once. This can't be undone.")).toBeTruthy();
  expect(server.cancels).toEqual([]);
  await person.click(await button('Cancel and get ₹1,500 back'));
  expect(await screen.findByText('Cancelled; ₹1,500 is on its way back')).toBeTruthy();
});

test('a lost answer is asked for again with the same key, and nothing is cancelled twice', async () => {
  const person = open();
  await person.click(await button('Cancel this session'));
  const second = await button('Cancel and get ₹1,500 back');
  // The command is done, and neither its answer nor any news of it comes.
  server.lost = 1;
  server.down = true;
  await person.click(second);
  expect(await screen.findByText("We don't know yet whether it is cancelled")).toBeTruthy();
  await expectAccessible();
  await person.click(await button('Cancel and get ₹1,500 back'));
  expect(await screen.findByText('Your session is being cancelled')).toBeTruthy();
  const [sent, repeated] = server.cancels;
  expect(repeated).toEqual(sent);
});

test('a lost answer of what was done is found by the next look', async () => {
  server.lost = 1;
  const person = open();
  await cancel(person);
  expect(await screen.findByText('Your session is being cancelled')).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(server.cancels).toHaveLength(1);
});

test('an undo that comes too late says that it took effect', async () => {
  const person = open();
  await cancel(person);
  const undo = await button('Undo');
  server.takeEffect();
  await person.click(undo);
  expect(await screen.findByText('Cancelled; ₹1,500 is on its way back')).toBeTruthy();
  expect(screen.getByText('It took effect just before you pressed Undo.')).toBeTruthy();
});

test('an undo whose answer is lost is repeated with the same key', async () => {
  const person = open();
  await cancel(person);
  server.refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE')];
  await person.click(await button('Undo'));
  expect(await screen.findByText("We don't know yet whether it is undone")).toBeTruthy();
  await person.click(await button('Undo'));
  expect(await screen.findByText('Nothing is cancelled')).toBeTruthy();
  expect(server.undos).toHaveLength(2);
  expect(new Set(server.undos).size).toBe(1);
});

test('an undo that was done without an answer is found by the next look', async () => {
  const person = open();
  await cancel(person);
  server.lost = 1;
  await person.click(await button('Undo'));
  expect(await screen.findByText('Nothing is cancelled')).toBeTruthy();
  expect(screen.queryByText(/^We don't know yet/)).toBeNull();
  expect(server.undos).toHaveLength(1);
});

test('of a package one session can be cancelled, or all', async () => {
  server.coming = [STARTER];
  const person = open();
  expect(await screen.findAllByText(/₹1,500 back until/)).toHaveLength(3);
  await person.click(await button('Cancel session 2'));
  const dialog = within(await screen.findByRole('dialog', { name: 'Cancel session 2?' }));
  expect(await dialog.findByText('Session 2 of your package.')).toBeTruthy();
  await expectAccessible();
  await person.click(dialog.getByRole('button', { name: 'Keep it' }));

  server.refund = 450_000n;
  await person.click(await button('Cancel all sessions to come'));
  await screen.findByText('Sessions 1, 2 and 3 of your package.');
  await person.click(await button('Cancel and get ₹4,500 back'));
  expect(await screen.findByText('All sessions to come are being cancelled')).toBeTruthy();
  expect(server.cancels[0]?.sessionNumber).toBe(0);
});

test('one session of a package that was cancelled is said to be, and the others stay', async () => {
  server.coming = [STARTER];
  const person = open();
  await person.click(await button('Cancel session 2'));
  await person.click(await button('Cancel and get ₹1,500 back'));
  expect(await screen.findByText('Session 2 is being cancelled')).toBeTruthy();
  const [booking] = server.coming;
  const sessions = STARTER.sessions.map((one, index) => ({ ...one, cancelled: index === 1 }));
  if (booking) server.tell(booking, { sessions, pendingCancellation: undefined } as object);
  look();
  expect(await screen.findByText('Cancelled; ₹1,500 is on its way back')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Cancel session 2' })).toBeNull();
  expect(await button('Cancel session 3')).toBeTruthy();
});

test('late it can be cancelled without a refund', async () => {
  server.refund = 0n;
  server.atOnce = true;
  const person = open();
  await person.click(await button('Cancel this session'));
  expect(await screen.findByText('Nothing comes back to you any more.')).toBeTruthy();
  await person.click(await button('Cancel without a refund'));
  expect(await screen.findByText('Cancelled without a refund')).toBeTruthy();
});

test('what was paid at the practice is given back there', async () => {
  server.coming = [ownBooking({ paidAtDesk: DeskWay.CASH })];
  const person = open();
  await person.click(await button('Cancel this session'));
  expect(await screen.findByText('You get ₹1,500 back at the practice.')).toBeTruthy();
});

test('what cannot be cancelled any more says so, and keeps the session', async () => {
  const person = open();
  await person.click(await button('Cancel this session'));
  await button('Cancel and get ₹1,500 back');
  const message = "This session has begun and can't be cancelled any more. Please write to us.";
  server.refusals = [refusal(Code.FailedPrecondition, 'SESSION_BEGUN', { message })];
  await person.click(await button('Cancel and get ₹1,500 back'));
  expect(await screen.findByText('Nothing was cancelled')).toBeTruthy();
  expect(screen.getByText(message)).toBeTruthy();
});

test('a question that is not answered is asked again', async () => {
  const person = open();
  const first = await button('Cancel this session');
  server.down = true;
  await person.click(first);
  expect(await screen.findByText("We can't say what comes back")).toBeTruthy();
  await expectAccessible();
  server.down = false;
  await person.click(await button('Try again'));
  expect(await button('Cancel and get ₹1,500 back')).toBeTruthy();
});

test('a session that is over has no cancelling and no room', async () => {
  const refundOwed = rupees(50_000n);
  server.coming = [ownBooking({ state: BookingState.COMPLETED, refundOwed })];
  vi.setSystemTime(new Date('2026-11-30T05:30:00Z'));
  open();
  expect(await screen.findByText('We owe you ₹500')).toBeTruthy();
  expect(screen.queryByText("Can't make it?")).toBeNull();
  expect(screen.queryByRole('link', { name: 'Join' })).toBeNull();
  expect(screen.getByRole('link', { name: /^Receipt/ })).toBeTruthy();
});

test('a booking of another account is not there', async () => {
  server.coming = [];
  open();
  expect(await screen.findByText('There is no such session')).toBeTruthy();
  expect(screen.getByText('By phone?')).toBeTruthy();
  await expectAccessible();
});

test('a page that cannot be read has a way on, and one of an ended session leads to signing in', async () => {
  server.down = true;
  const person = open();
  const retry = await button('Try again');
  server.down = false;
  await person.click(retry);
  await screen.findByText("Can't make it?");
  server.unreadable = refusal(Code.Unauthenticated, 'UNAUTHENTICATED');
  look();
  expect(await button('Sign In')).toBeTruthy();
  await waitFor(() => expect(screen.queryByText("Can't make it?")).toBeNull());
});

test('a visitor is asked to sign in, and comes back to this booking', async () => {
  beginAs(undefined);
  open();
  const link = screen.getByRole('link', { name: 'Sign In' });
  const path = encodeURIComponent(`/account/sessions/${BOOKING_ID}`);
  expect(link.getAttribute('href')).toBe(`/sign-in?return=${path}`);
  await expectAccessible();
});

test('the same time again is one press away, and leads into the booking with it chosen', async () => {
  server.slots = slotsFixture([
    { date: '2026-12-01', starts: [{ hour: 11 }] },
    { date: '2026-12-08', starts: [{ hour: 15 }] },
  ]);
  open();
  const first = await screen.findByRole('link', { name: 'Book Tue, 1 Dec' });
  expect(first.getAttribute('href')).toContain('slot=2026-12-01T05:30:00Z');
  expect(screen.getByText(/^Next week:/)).toBeTruthy();
  expect(screen.getByText(/^In two weeks, near that time:/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Choose another time' })).toBeTruthy();
  await expectAccessible();
});
