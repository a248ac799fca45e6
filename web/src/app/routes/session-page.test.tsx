/** /session as a person with a mail goes through it, with a server that a test plays. */
import { create } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { act, screen, waitFor, within } from '@testing-library/react';
import { Link } from 'react-router';
import { beforeEach, expect, test, vi } from 'vitest';
import { MoveProposalSchema, SessionMode } from '@/gen/booking/v1/booking_service_pb';
import { DeskWay } from '@/gen/common/v1/money_pb';
import { expectAccessible } from '@/testing/accessible';
import { at, slotsFixture } from '@/testing/booking-fixture';
import { beginEach, openPage, type Person } from '@/testing/booking-page';
import { ASHA, beginAs } from '@/testing/played-client';
import { refusal } from '@/testing/refusal';
import { PAGE_CODE, PAGE_KEY, SessionPageServer } from '@/testing/session-page-server';
import PayBookingPage from './pay-booking';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

let server: SessionPageServer;

beginEach();

beforeEach(() => {
  server = new SessionPageServer();
});

function open(hash = `#key=${PAGE_KEY}`): Person {
  return openPage(PayBookingPage, { path: `/session${hash}`, transport: server.transport() });
}

const button = (name: string) => screen.findByRole('button', { name });
const look = () => act(() => void window.dispatchEvent(new Event('visibilitychange')));

test('it says when, how and with whom, leads into the room, and opening it changes nothing', async () => {
  open();
  expect(await screen.findByText(/^Tuesday, 24 November 2026, 11:00 am/)).toBeTruthy();
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Your Session');
  expect(screen.getByText('Meera Joshi')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Join' }).getAttribute('href')).toBe(
    '/join#key=join-key',
  );
  expect(screen.getByText('The room opens 10 minutes before the session.')).toBeTruthy();
  expect(screen.getByText('Paid').nextElementSibling?.textContent).toBe('₹1,500');
  expect(await button('Add to calendar')).toBeTruthy();
  expect(screen.queryByRole('link', { name: /Google/ })).toBeNull();
  expect(screen.queryByRole('link', { name: /^Receipt/ })).toBeNull();
  const policy = screen.getByRole('link', { name: 'How cancelling works' });
  expect(policy.getAttribute('href')).toBe('/cancellation-policy');
  expect(server.cancels.length + server.moves.length + server.codes).toBe(0);
  expect(window.location.href).not.toContain(PAGE_KEY);
  await expectAccessible();
});

test('a link that is opened again in the same tab leaves no key in the address', async () => {
  const path = `/session#key=${PAGE_KEY}`;
  const page = () => (
    <>
      <PayBookingPage />
      <Link to={path}>The mail</Link>
    </>
  );
  const person = openPage(page, { path, transport: server.transport() });
  await button('Cancel this session');
  // What a browser does by itself, as it stays on the page where only the fragment differs.
  window.history.pushState(null, '', path);
  await person.click(screen.getByRole('link', { name: 'The mail' }));
  await waitFor(() => expect(window.location.href).not.toContain(PAGE_KEY));
  expect(await button('Cancel this session')).toBeTruthy();
});

test('it leads to the account that has it', async () => {
  server.tell({ ofAccount: true });
  open();
  const link = await screen.findByRole('link', { name: 'Sign in to see all your sessions' });
  expect(link.getAttribute('href')).toBe('/sign-in?return=%2Faccount%2Fsessions');
});

test('for a phone booking an account is offered, and none is needed', async () => {
  open();
  expect(await screen.findByRole('link', { name: 'Create an account' })).toBeTruthy();
  expect(await button('Cancel this session')).toBeTruthy();
});

test('signed in, its own link leads to all sessions', async () => {
  beginAs(ASHA);
  server.tell({ ofAccount: true });
  open();
  const link = await screen.findByRole('link', { name: 'All your sessions' });
  expect(link.getAttribute('href')).toBe('/account/sessions');
});

test('where everything comes back, two presses cancel, and it can be undone', async () => {
  const person = open();
  await person.click(await button('Cancel this session'));
  await person.click(await button('Cancel and get ₹1,500 back'));
  expect(await screen.findByText('Your session is being cancelled')).toBeTruthy();
  expect(server.cancels[0]).toMatchObject({ pageKey: PAGE_KEY, sessionNumber: 0, code: '' });
  expect(server.cancels[0]?.shownRefund?.minorUnits).toBe(150_000n);
  await expectAccessible();
  await person.click(await button('Undo'));
  expect(await screen.findByText('Nothing is cancelled')).toBeTruthy();
  expect(server.undos).toHaveLength(1);
});

test('on the page of payment an act keeps its focus, and nothing is confirmed meanwhile', async () => {
  const path = `/pay/booking#key=${PAGE_KEY}`;
  const person = openPage(PayBookingPage, { path, transport: server.transport() });
  await screen.findByRole('heading', { level: 1, name: 'Booking Confirmed!' });
  await person.click(await button('Cancel this session'));
  await person.click(await button('Cancel and get ₹1,500 back'));
  const notice = await screen.findByText('Your session is being cancelled');
  await screen.findByRole('heading', { level: 1, name: 'Your Session' });
  expect(document.activeElement?.contains(notice)).toBe(true);
  expect(document.activeElement?.tagName).toBe('DIV');
});

test('once it took effect the page says what is on its way back', async () => {
  const person = open();
  await person.click(await button('Cancel this session'));
  await person.click(await button('Cancel and get ₹1,500 back'));
  await screen.findByText('Your session is being cancelled');
  server.takeEffect();
  look();
  expect(await screen.findByText('Cancelled; ₹1,500 is on its way back')).toBeTruthy();
  expect(screen.getByText('To be refunded').nextElementSibling?.textContent).toBe('₹1,500');
  expect(screen.queryByText('This booking was cancelled')).toBeNull();
  expect(screen.queryByText('General Consultation')).toBeNull();
  await expectAccessible();
});

test('what was paid at the desk is given back there, before the press and after it', async () => {
  server.tell({ paidAtDesk: DeskWay.CASH });
  const person = open();
  await person.click(await button('Cancel this session'));
  expect(await screen.findByText('You get ₹1,500 back at the practice.')).toBeTruthy();
  await person.click(await button('Cancel and get ₹1,500 back'));
  await screen.findByText('Your session is being cancelled');
  server.takeEffect();
  look();
  expect(await screen.findByText('Cancelled; you get ₹1,500 back at the practice')).toBeTruthy();
  expect(screen.queryByText(/original payment method/)).toBeNull();
});

test('where money is lost, six digits are mailed, typed, and go with the press', async () => {
  server.refund = 0n;
  server.codeNeeded.cancel = true;
  const person = open();
  await person.click(await button('Cancel this session'));
  const dialog = within(await screen.findByRole('dialog', { name: 'Cancel this session?' }));
  await dialog.findByText('Nothing comes back to you any more.');
  expect(dialog.queryByRole('button', { name: 'Cancel without a refund' })).toBeNull();
  await person.click(await dialog.findByRole('button', { name: 'Send me a code' }));
  const field = await dialog.findByLabelText('6-digit code');
  expect(field.getAttribute('autocomplete')).toBe('one-time-code');
  expect(field.getAttribute('inputmode')).toBe('numeric');
  expect(server.codes).toBe(1);
  const press = dialog.getByRole('button', { name: 'Cancel without a refund' });
  await person.click(press);
  expect(await dialog.findByText('Please type the six digits of our mail.')).toBeTruthy();
  await person.type(field, '111111');
  await person.click(press);
  expect(await dialog.findByText(/These are not the digits of our last mail/)).toBeTruthy();
  await expectAccessible();
  await person.clear(field);
  await person.type(field, '042 731');
  await person.click(press);
  expect(await screen.findByText('Your session is being cancelled')).toBeTruthy();
  expect(server.cancels.map(({ code }) => code)).toEqual(['111111', PAGE_CODE]);
  expect(new Set(server.cancels.map((one) => one.idempotencyKey)).size).toBe(2);
});

test('a code that is needed since the sum was shown is asked for then', async () => {
  const person = open();
  await person.click(await button('Cancel this session'));
  const press = await button('Cancel and get ₹1,500 back');
  server.refusals = [refusal(Code.FailedPrecondition, 'PAGE_CODE_REQUIRED')];
  await person.click(press);
  expect(await button('Send me a code')).toBeTruthy();
});

test('too many codes say so, and nothing is cancelled', async () => {
  server.codeNeeded.cancel = true;
  const person = open();
  await person.click(await button('Cancel this session'));
  server.refusals = [refusal(Code.ResourceExhausted, 'TOO_MANY_PAGE_CODES')];
  await person.click(await button('Send me a code'));
  expect(await screen.findByText('No code was mailed')).toBeTruthy();
  expect(screen.getByText(/We have mailed several codes in the last hour/)).toBeTruthy();
  expect(server.cancels).toEqual([]);
  // The code of the last mail still works, also where this page did not ask for it.
  await person.type(await screen.findByLabelText('6-digit code'), PAGE_CODE);
  await person.click(await button('Cancel and get ₹1,500 back'));
  expect(await screen.findByText('Your session is being cancelled')).toBeTruthy();
});

test('a new code that is not mailed leaves the field for the last one', async () => {
  server.codeNeeded.cancel = true;
  const person = open();
  await person.click(await button('Cancel this session'));
  await person.click(await button('Send me a code'));
  await person.type(await screen.findByLabelText('6-digit code'), '111111');
  await person.click(await button('Cancel and get ₹1,500 back'));
  const wrong = /These are not the digits of our last mail/;
  expect(await screen.findByText(wrong)).toBeTruthy();
  server.refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE')];
  await person.click(await button('Send a new code'));
  expect(await screen.findByText('No code was mailed')).toBeTruthy();
  const field = screen.getByLabelText<HTMLInputElement>('6-digit code');
  expect(field.value).toBe('111111');
  // A new one has not been tried.
  await person.click(await button('Send a new code'));
  await waitFor(() => expect(field.value).toBe(''));
  expect(screen.queryByText(wrong)).toBeNull();
  await person.type(field, PAGE_CODE);
  await person.click(await button('Cancel and get ₹1,500 back'));
  expect(await screen.findByText('Your session is being cancelled')).toBeTruthy();
});

test('a lost answer is asked for again with the same key and code', async () => {
  server.codeNeeded.cancel = true;
  const person = open();
  await person.click(await button('Cancel this session'));
  await person.click(await button('Send me a code'));
  await person.type(await screen.findByLabelText('6-digit code'), PAGE_CODE);
  server.lost = 1;
  server.down = true;
  await person.click(await button('Cancel and get ₹1,500 back'));
  expect(await screen.findByText("We don't know yet whether it is cancelled")).toBeTruthy();
  await person.click(await button('Cancel and get ₹1,500 back'));
  expect(await screen.findByText('Your session is being cancelled')).toBeTruthy();
  const [sent, repeated] = server.cancels;
  expect(repeated).toEqual(sent);
});

test('a move needs the digits as well', async () => {
  server.slots = slotsFixture([{ date: '2026-11-24', starts: [{ hour: 15 }] }]);
  server.tell({
    sessions: server.page.sessions.map((one) => ({
      ...one,
      movableUntilAt: at('2026-11-23T05:30:00Z'),
      movesLeft: 3,
    })),
  });
  const person = open();
  await person.click(await button('Move this session'));
  const dialog = within(await screen.findByRole('dialog', { name: 'Move this session' }));
  await person.click(await dialog.findByRole('radio', { name: /3:00 pm/ }));
  // The time that was chosen has them mailed.
  await person.type(await dialog.findByLabelText('6-digit code'), PAGE_CODE);
  await person.click(await dialog.findByRole('button', { name: /^Move to Tue, 24 Nov, 3:00 pm/ }));
  expect(await screen.findByText(/^Moved to Tue, 24 Nov, 3:00 pm/)).toBeTruthy();
  expect(server.moves[0]).toMatchObject({ pageKey: PAGE_KEY, code: PAGE_CODE, sessionNumber: 0 });
  await expectAccessible();
});

test('coming late is told by one press', async () => {
  vi.setSystemTime(new Date('2026-11-24T05:00:00Z'));
  const person = open();
  await person.click(await button('10 minutes'));
  await screen.findByText('You told the practice: 10 minutes late.');
  expect(server.late).toEqual([10]);
});

test.each([
  ['BOOKING_ADOPTED', 'This booking belongs to an account'],
  ['PAGE_KEY_ENDED', 'This link has ended'],
  ['PAGE_OVER', 'The page of this booking has ended'],
])('a key that ended while the page was open (%s) leads on', async (reason, told) => {
  const person = open();
  const cancel = await button('Cancel this session');
  server.unreadable = refusal(Code.FailedPrecondition, reason);
  await person.click(cancel);
  expect(await screen.findByText(told)).toBeTruthy();
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('once the page is over, the account that made the booking still has it', async () => {
  server.unreadable = refusal(Code.FailedPrecondition, 'PAGE_OVER');
  open();
  const link = await screen.findByRole('link', { name: 'See It in Your Account' });
  expect(link.getAttribute('href')).toBe('/sign-in?return=%2Faccount%2Fsessions');
  expect(screen.getByRole('link', { name: 'Call us' })).toBeTruthy();
  await expectAccessible();
});

test('in person it says where, and there is no room', async () => {
  server.tell({ mode: SessionMode.IN_PERSON, location: 'Shivaji Nagar, Bhopal', joinKey: '' });
  open();
  expect(await screen.findByText('Shivaji Nagar, Bhopal')).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Join' })).toBeNull();
});

test('a page that can no longer be read keeps what was read, and says so', async () => {
  open();
  await button('Cancel this session');
  server.down = true;
  look();
  expect(await button('Try again')).toBeTruthy();
  expect(screen.getByText(/^Tuesday, 24 November 2026/)).toBeTruthy();
});

test('a link of a mail has chosen a time, and one press moves the session without a code', async () => {
  const time = new Date('2026-12-01T05:30:00Z');
  server.codeNeeded.move = false;
  server.suggested = [time, new Date('2026-12-02T05:30:00Z'), new Date('2026-12-03T05:30:00Z')];
  server.tell({
    moveProposal: create(MoveProposalSchema, {
      sessionNumber: 1,
      chooseUntilAt: at('2026-11-23T05:30:00Z'),
    }),
  });
  const person = open(`#key=${PAGE_KEY}&choose=2026-12-01T05:30:00Z`);
  const chosen = await button('Tue, 1 Dec, 11:00 am IST');
  expect(chosen.getAttribute('aria-pressed')).toBe('true');
  expect(server.moves).toEqual([]);
  await expectAccessible();
  await person.click(await button('Move to Tue, 1 Dec, 11:00 am IST'));
  expect(await screen.findByText('Moved to Tue, 1 Dec, 11:00 am IST')).toBeTruthy();
  expect(server.moves[0]).toMatchObject({ code: '', sessionNumber: 0 });
  expect(screen.queryByText('Please choose another time')).toBeNull();
});
