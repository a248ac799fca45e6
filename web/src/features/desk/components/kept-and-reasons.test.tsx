/** A late cancellation at the desk: what it kept is given back once, grace is said, and why it was moved. */
import { create } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { BookingState } from '@/gen/booking/v1/booking_service_pb';
import { MoveReasonSchema, StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { MemberSchema } from '@/gen/booking/v1/organisation_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { at } from '@/testing/booking-fixture';
import { DeskServer, deskBookingId, staffBooking } from '@/testing/desk-server';
import { rupees } from '@/testing/receipt-fixture';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { MemberContext } from '../member';
import { historyLines } from '../model/history';
import { BookingScreen } from './booking-screen';
import './act-dialogs';

vi.mock('@/lib/auth', () => ({ signOut: () => undefined }));

const SOON = new Date(Date.now() + 3 * 86_400_000);
const ID = deskBookingId(7);
const ASK = 'Give back ₹1,500';
const DO = 'Give ₹1,500 back for good';

let server: DeskServer;

beforeEach(() => {
  server = new DeskServer();
  server.bookings = [staffBooking(7, SOON, { state: BookingState.CANCELLED })];
  server.kept = 150_000n;
});

function open(role = StaffRole.OWNER) {
  renderApp(
    <MemberContext value={{ userId: 'own', role }}>
      <main>
        <BookingScreen params={{ id: ID }} />
      </main>
      <Toaster />
    </MemberContext>,
    { path: `/desk/bookings/${ID}`, transport: server.transport() },
  );
  return userEvent.setup();
}

test('what was kept is given back by one act and one confirming press, once', async () => {
  server.lost = 1;
  const person = open();
  await person.click(await screen.findByRole('button', { name: ASK }));
  expect(server.keptGiven).toEqual([]);
  await expectAccessible();
  await person.click(screen.getByRole('button', { name: DO }));
  await screen.findByText('₹1,500 goes back to Asha Rao', undefined, { timeout: 60_000 });
  await waitFor(() => expect(screen.queryByText(/was kept/)).toBeNull());
  expect(server.keptGiven.map(({ amount }) => amount?.minorUnits)).toEqual([150_000n]);
  expect(screen.queryByRole('button', { name: ASK })).toBeNull();
});

test('what was paid at the desk is given back there', async () => {
  server.atDesk = true;
  const person = open(StaffRole.ADMIN);
  await person.click(await screen.findByRole('button', { name: ASK }));
  await person.click(screen.getByRole('button', { name: DO }));
  await screen.findByText('It was paid at the desk: give it back there, and record that.');
});

test('each refusal has its words, and another sum is asked about anew', async () => {
  const person = open();
  await person.click(await screen.findByRole('button', { name: ASK }));
  server.refusals = [refusal(Code.FailedPrecondition, 'REFUND_DEDUCTED')];
  await person.click(screen.getByRole('button', { name: DO }));
  await screen.findByText('The bank has taken this money');
  server.refusals = [refusal(Code.InvalidArgument, 'AMOUNT_NOT_KEPT')];
  server.kept = 70_000n;
  await person.click(screen.getByRole('button', { name: DO }));
  await screen.findByText('Another sum is kept');
  await person.click(await screen.findByRole('button', { name: 'Give back ₹700' }));
  server.refusals = [refusal(Code.FailedPrecondition, 'NOTHING_KEPT')];
  server.kept = 0n;
  await person.click(screen.getByRole('button', { name: 'Give ₹700 back for good' }));
  await screen.findByText('Nothing is kept any more');
  expect(screen.queryByRole('button', { name: /^Give/ })).toBeNull();
});

test('where nothing was cancelled nothing was kept', async () => {
  server.bookings = [staffBooking(7, SOON)];
  open();
  await screen.findByText('Paid · ₹1,500');
  expect(screen.queryByText(/was kept/)).toBeNull();
});

test('the front desk sees no such act', async () => {
  open(StaffRole.FRONT_DESK);
  await screen.findByRole('heading', { level: 1, name: 'Asha Rao' });
  expect(screen.queryByText(/was kept/)).toBeNull();
});

test('before a late cancellation the desk says what comes back by grace, and when there is grace again', async () => {
  server.bookings = [staffBooking(7, SOON)];
  server.grace = { refund: rupees(150_000n), againAt: at('2027-04-30T18:30:00Z') };
  const person = open();
  await person.click(await screen.findByRole('button', { name: /^What to do… with/ }));
  await person.click(screen.getByRole('button', { name: 'Cancel…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Cancel for Asha Rao' }));
  await dialog.findByText('₹1,500 goes back by grace; the client has it again from 1 May 2027.');
  await expectAccessible();
});

function reason(saidAt: string, userId: string, words: string, sessionNumber = 1) {
  return create(MoveReasonSchema, { sessionNumber, userId, reason: words, saidAt: at(saidAt) });
}

test('the history says why a session was moved, by whom, in its true place', async () => {
  server.moveReasons = [reason('2026-11-20T05:01:30Z', 'usr_2', 'The doctor is ill')];
  server.members = [create(MemberSchema, { userId: 'usr_2', practitionerName: 'Ravi Menon' })];
  open();
  const why = await screen.findByText('Why, by Ravi Menon: “The doctor is ill”');
  const lines = within(why.closest('ol') ?? document.body).getAllByRole('listitem');
  expect(lines.map(({ lastChild }) => lastChild?.textContent)).toEqual([
    'Booked; the time is held',
    'Paid · ₹1,500',
    'Why, by Ravi Menon: “The doctor is ill”',
    'Confirmed',
  ]);
});

test('of a package the session is named, and grace is said with what was cancelled', () => {
  const cancelled = {
    ...{ event: 'BookingCancelled', detail: 'CUSTOMER_BY_GRACE', amount: rupees(150_000n) },
    recordedAt: at('2026-11-20T05:00:00Z'),
  };
  const said = {
    reasons: [reason('2026-11-20T05:00:00Z', 'usr_2', 'Ill', 2)],
    several: true,
    nameOf: () => 'you',
  };
  expect(historyLines([cancelled as never], [], said).map(({ words }) => words)).toEqual([
    'Cancelled · ₹1,500 · customer by grace',
    'Session 2. Why, by you: “Ill”',
  ]);
});
