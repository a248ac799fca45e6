/** Asking for a refund on a session's page, with a server that a test plays. */
import { Code } from '@connectrpc/connect';
import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { BookingState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { DeskWay } from '@/gen/common/v1/money_pb';
import { RefundRequestState } from '@/gen/payments/v1/refund_request_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { BOOKING_ID } from '@/testing/booking-fixture';
import { beginEach, openPage, type Person } from '@/testing/booking-page';
import { OwnSessionsServer, ownBooking } from '@/testing/own-sessions-server';
import { ASHA } from '@/testing/played-client';
import { rupees } from '@/testing/receipt-fixture';
import { refundRequestFixture } from '@/testing/refund-request-server';
import { refusal } from '@/testing/refusal';
import { OwnSessionPage } from './own-session-page';
// Loaded with the tests, so that none of them waits for it.
import './refund-part';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

const ASK = 'Ask for a refund until Thu, 26 Nov, 11:45 am IST';

let server: OwnSessionsServer;

// An hour after its start.
beginEach({ user: ASHA, now: '2026-11-24T06:30:00Z' });

beforeEach(() => {
  server = new OwnSessionsServer();
  server.past = [ownBooking({ state: BookingState.COMPLETED })];
});

function open(): Person {
  const page = () => <OwnSessionPage bookingId={BOOKING_ID} />;
  const path = `/account/sessions/${BOOKING_ID}`;
  return openPage(page, { path, transport: server.transport() });
}

const button = (name: string) => screen.findByRole('button', { name });

async function seen(): Promise<void> {
  await screen.findByRole('link', { name: 'All your sessions' });
  await screen.findByRole('heading', { name: 'Book again' });
}

test('a refund is asked for, with a reason that only few read', async () => {
  const person = open();
  await person.click(await button(ASK));
  await screen.findByRole('dialog', { name: 'Ask for a refund?' });
  const reads =
    "At most 1,000 characters. Only the practice's owner, or an administrator, reads it. " +
    'It stands in no e-mail.';
  const why = screen.getByLabelText(/^Why\?/);
  expect(screen.getByText(reads)).toBeTruthy();
  await expectAccessible();
  await person.type(why, 'It was too loud.');
  await person.click(await button('Ask for a refund'));
  const said = await screen.findByRole('heading', { name: 'Your refund request R-17' });
  await waitFor(() => expect(document.activeElement?.contains(said)).toBe(true));
  expect(screen.getByText('Thu, 26 Nov, 12:00 pm IST')).toBeTruthy();
  expect(screen.getByText('It was too loud.')).toBeTruthy();
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.queryByRole('button', { name: ASK })).toBeNull();
  const [sent] = server.refundRequests.requests;
  expect(sent).toMatchObject({ bookingId: BOOKING_ID, reason: 'It was too loud.' });
  await expectAccessible();
});

test('no reason is needed, and one that is too long is said', async () => {
  const person = open();
  await person.click(await button(ASK));
  const why = screen.getByLabelText(/^Why\?/);
  await person.click(why);
  await person.paste('a'.repeat(1001));
  await person.click(await button('Ask for a refund'));
  await screen.findByText('At most 1000 characters, please');
  await expectAccessible();
  await person.clear(why);
  await person.click(await button('Ask for a refund'));
  await screen.findByRole('heading', { name: 'Your refund request R-17' });
  expect(server.refundRequests.requests[0]?.reason).toBe('');
});

test('a lost answer is asked for again with the same key', async () => {
  const person = open();
  await person.click(await button(ASK));
  const send = await button('Ask for a refund');
  server.refundRequests.lost = 1;
  server.refundRequests.down = true;
  await person.click(send);
  await screen.findByText("We don't know yet whether it is asked for");
  await expectAccessible();
  await person.click(send);
  await screen.findByRole('heading', { name: 'Your refund request R-17' });
  const [first, second] = server.refundRequests.requests;
  expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
});

test('one that was asked for without an answer is shown, and takes the focus', async () => {
  const person = open();
  await person.click(await button(ASK));
  server.refundRequests.lost = 1;
  await person.click(await button('Ask for a refund'));
  const said = await screen.findByRole('heading', { name: 'Your refund request R-17' });
  // The body contains it as well, and has no focus to take.
  await waitFor(() => expect(document.activeElement).not.toBe(document.body));
  expect(document.activeElement?.contains(said)).toBe(true);
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('what can no longer be asked for says why', async () => {
  const person = open();
  await person.click(await button(ASK));
  const message = 'A refund could be asked for until 48 hours after the session.';
  server.refundRequests.refusals = [
    refusal(Code.FailedPrecondition, 'REFUND_TIME_OVER', { message }),
  ];
  await person.click(await button('Ask for a refund'));
  await screen.findByText('Nothing was asked for');
  expect(screen.getByText(message)).toBeTruthy();
  await expectAccessible();
});

test('a granted request says the sum, and until when it should be back', async () => {
  server.refundRequests.request = refundRequestFixture({
    state: RefundRequestState.GRANTED,
    amount: rupees(150_000n),
    answer: 'We are sorry.\nPlease come again.',
  });
  open();
  await screen.findByText('₹1,500 goes back to you.');
  expect(screen.getByText('It should be back with you by Tuesday, 8 December 2026.')).toBeTruthy();
  expect(screen.getByText(/^We are sorry\./)).toBeTruthy();
  expect(screen.queryByText(/^You get our answer by/)).toBeNull();
  await expectAccessible();
});

test('what was paid at the practice is given back there', async () => {
  server.past = [ownBooking({ state: BookingState.COMPLETED, paidAtDesk: DeskWay.CASH })];
  const amount = rupees(50_000n);
  const granted = { state: RefundRequestState.GRANTED, amount };
  server.refundRequests.request = refundRequestFixture(granted);
  open();
  await screen.findByText('You get ₹500 back at the practice.');
});

test('a declined request has its answer', async () => {
  const answer = 'The session took place in full.';
  const declined = { state: RefundRequestState.DECLINED, answer };
  server.refundRequests.request = refundRequestFixture(declined);
  open();
  await screen.findByText('We have answered: no money goes back.');
  expect(screen.getByText(answer)).toBeTruthy();
  await expectAccessible();
});

test('an answer that is late says so', async () => {
  vi.setSystemTime(new Date('2026-11-26T08:00:00Z'));
  server.refundRequests.request = refundRequestFixture();
  open();
  await screen.findByText(/^You should have had our answer by Thu, 26 Nov, 12:30 pm IST/);
  expect(screen.getByRole('link', { name: 'write to us' })).toBeTruthy();
});

test.each([
  ['the time is over', '2026-11-26T06:15:00Z', {}, false],
  ['nothing was paid', '2026-11-24T06:30:00Z', {}, true],
  ['it was cancelled', '2026-11-24T06:30:00Z', { state: BookingState.CANCELLED }, false],
  ['no payment was seen', '2026-11-24T06:30:00Z', { paymentState: PaymentState.CLAIMED }, false],
])('nothing is said of it where %s', async (_case, now, changes, unpaid) => {
  vi.setSystemTime(new Date(now));
  server.past = [ownBooking({ state: BookingState.COMPLETED, ...changes })];
  server.refundRequests.unpaid = unpaid;
  open();
  await seen();
  expect(screen.queryByText(/refund until/)).toBeNull();
});

test('before its start nothing is asked', async () => {
  vi.setSystemTime(new Date('2026-11-24T05:00:00Z'));
  server.past = [];
  server.coming = [ownBooking()];
  server.refundRequests.down = true;
  open();
  await seen();
  expect(screen.queryByText(/refund/)).toBeNull();
});

test('a request that cannot be read is asked for again', async () => {
  server.refundRequests.down = true;
  const person = open();
  await screen.findByText("We can't say whether you can ask for a refund");
  await expectAccessible();
  server.refundRequests.down = false;
  await person.click(await button('Try again'));
  await button(ASK);
});
