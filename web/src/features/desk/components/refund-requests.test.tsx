/** Clients' requests for refunds at the desk: as tasks, on a booking, and the answer to one. */
import { Code } from '@connectrpc/connect';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import {
  type RefundRequest,
  RefundRequestState,
} from '@/gen/payments/v1/refund_request_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { at } from '@/testing/booking-fixture';
import { DeskServer, deskBookingId, staffBooking } from '@/testing/desk-server';
import { rupees } from '@/testing/receipt-fixture';
import { refundRequest } from '@/testing/refund-requests';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { MemberContext } from '../member';
import { tasksOf } from '../model/tasks';
import { BookingScreen } from './booking-screen';
import { TaskBadge } from './task-badge';
import { TasksScreen } from './tasks-screen';

vi.mock('@/lib/auth', () => ({ signOut: () => undefined }));

const ID = deskBookingId(7);
/** Noon of 24 November, in India. */
const NOW = Date.parse('2026-11-24T06:30:00Z');
const START = new Date('2026-11-23T05:30:00Z');

let server: DeskServer;

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: NOW });
  server = new DeskServer();
  server.bookings = [staffBooking(7, START)];
  server.refundRequests.all = [refundRequest(ID)];
});

function open(role = StaffRole.OWNER, where: 'tasks' | 'booking' = 'tasks') {
  renderApp(
    <MemberContext value={{ userId: 'own', role }}>
      <main>{where === 'tasks' ? <TasksScreen /> : <BookingScreen params={{ id: ID }} />}</main>
      <output>
        <TaskBadge />
      </output>
      <Toaster />
    </MemberContext>,
    { path: '/desk/tasks', transport: server.transport() },
  );
  return userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
}

type Person = ReturnType<typeof open>;

async function openAnswer(person: Person) {
  await person.click(await screen.findByRole('button', { name: 'Answer R-17…' }));
  const shown = await screen.findByRole('dialog', { name: 'Answer R-17 of Asha Rao' });
  const dialog = within(shown);
  return {
    dialog,
    choose: (name: string) => person.click(dialog.getByRole('radio', { name })),
    write: (words: string) => person.type(dialog.getByLabelText(/^What the client reads/), words),
    press: (name: string) => person.click(dialog.getByRole('button', { name })),
  };
}

test('a request is a task with its number, its reason, until when, and its booking', async () => {
  open();
  const title = await screen.findByText('A client asks for a refund: R-17');
  const card = within(title.closest('article') ?? document.body);
  card.getByText('Answer by Thu, 26 Nov, 10:30 am');
  card.getByText('The line broke off twice.');
  await card.findByText('Asha Rao');
  const way = card.getByRole('link', { name: 'Open the booking' });
  expect(way.getAttribute('href')).toBe(`/desk/bookings/${ID}`);
  await expectAccessible();
});

test('one that is overdue says so in words, and one without a reason does as well', async () => {
  const answerByAt = at('2026-11-24T05:00:00Z');
  server.refundRequests.all = [refundRequest(ID, { answerByAt, reason: '' })];
  open();
  await screen.findByText('Overdue since Tue, 24 Nov, 10:30 am');
  screen.getByText('The client gave no reason.');
  await expectAccessible();
});

test('the badge counts what is to be answered today or is overdue', async () => {
  const one = (number: number, answerBy: string): RefundRequest =>
    refundRequest(ID, { requestId: `rrq_${number}`, answerByAt: at(answerBy) });
  server.refundRequests.all = [
    // Overdue, tonight, and the first minute of tomorrow in India.
    ...[one(1, '2026-11-23T05:00:00Z'), one(2, '2026-11-24T18:29:00Z')],
    one(3, '2026-11-24T18:30:00Z'),
  ];
  open();
  await waitFor(() => expect(screen.getAllByRole('article')).toHaveLength(3));
  expect(screen.getByText('waiting').closest('output')?.textContent).toBe('2 waiting');
});

test('what has its day comes first, by the day', () => {
  const early = refundRequest(ID, { requestId: 'rrq_2', answerByAt: at('2026-11-24T05:00:00Z') });
  const keys = tasksOf({ requests: [refundRequest(ID), early] }, NOW).map(({ key }) => key);
  expect(keys).toEqual(['request/rrq_2', 'request/rrq_1']);
});

test('a part goes back, with the sum on the button and words to the client, once', async () => {
  server.lost = 1;
  const person = open();
  const { dialog, choose, write, press } = await openAnswer(person);
  dialog.getByText(/What is granted is to be back by Fri, 4 Dec, 10:30 am/);
  await expectAccessible();
  await press('Give it back');
  dialog.getByText('Choose what goes back');
  dialog.getByText('Write a sentence to the client');
  await expectAccessible();
  await choose('A part');
  await person.type(dialog.getByLabelText('How much, in rupees'), '499.5');
  await write(' We are sorry. ');
  await press('Give ₹499.50 back');
  await vi.advanceTimersByTimeAsync(1_000);
  await screen.findByText('R-17: ₹499.50 goes back to Asha Rao');
  screen.getByText('The client is told by mail.');
  const { answers } = server.refundRequests;
  expect(answers).toHaveLength(1);
  expect(answers[0]).toMatchObject({ requestId: 'rrq_1', answer: 'We are sorry.' });
  expect(answers[0]?.amount).toMatchObject({ minorUnits: 49_950n, currencyCode: 'INR' });
  await screen.findByText('Nothing needs you.');
});

test('all that is left goes back, at the desk where it was paid there', async () => {
  const paidBack = { refundedOtherwise: rupees(50_000n) };
  server.bookings = [staffBooking(7, START, paidBack)];
  server.refundRequests.atDesk = true;
  const { choose, write, press } = await openAnswer(open());
  await choose('All of it, ₹1,000');
  await write('Of course.');
  await press('Give ₹1,000 back');
  await screen.findByText('R-17: ₹1,000 goes back to Asha Rao');
  screen.getByText('It was paid at the desk: give it back there, and record that.');
  expect(server.refundRequests.answers[0]?.amount?.minorUnits).toBe(100_000n);
});

test('of a package with a cancelled session no sum is called all of it', async () => {
  const sessions = [START, new Date('2026-11-30T05:30:00Z')].map((startsAt, index) => ({
    startsAt: at(startsAt.toISOString()),
    endsAt: at(new Date(startsAt.getTime() + 2_700_000).toISOString()),
    cancelled: index === 1,
  }));
  server.bookings = [staffBooking(7, START, { sessions })];
  const { dialog } = await openAnswer(open());
  dialog.getByRole('radio', { name: 'A part' });
  expect(dialog.queryByRole('radio', { name: /^All of it/ })).toBeNull();
});

test('nothing goes back, and the booking shows what was answered', async () => {
  const person = open(StaffRole.ADMIN, 'booking');
  const request = within(await screen.findByRole('region', { name: 'Refund request R-17' }));
  request.getByText('Answer by Thu, 26 Nov, 10:30 am.');
  const { choose, write, press } = await openAnswer(person);
  await choose('Nothing');
  await write('The session was held in full.');
  await press('Give nothing back');
  await screen.findByText('R-17: nothing goes back to Asha Rao');
  expect(server.refundRequests.answers[0]?.amount).toBeUndefined();
  await request.findByText('Answered Wed, 25 Nov, 10:30 am: nothing goes back.');
  request.getByText('The session was held in full.');
  expect(request.queryByRole('button')).toBeNull();
  await expectAccessible();
});

test.each([
  [Code.FailedPrecondition, 'ALREADY_ANSWERED', 'It was answered meanwhile'],
  [Code.NotFound, 'REFUND_REQUEST_NOT_FOUND', 'There is no such request any more'],
  [Code.InvalidArgument, 'INVALID_ANSWER', 'The words to the client are missing'],
  [Code.InvalidArgument, 'INVALID_AMOUNT', 'That is more than is left to give back'],
  [Code.FailedPrecondition, 'NOTHING_TO_REFUND', 'Nothing is left to give back'],
])('an answer that is refused (%i %s) says why until it was read', async (...refused) => {
  const [code, reason, title] = refused;
  server.refusals = [refusal(code, reason)];
  const { dialog, choose, write, press } = await openAnswer(open());
  await choose('All of it, ₹1,500');
  await write('Of course.');
  await press('Give ₹1,500 back');
  await dialog.findByText(title);
  await expectAccessible();
  server.refundRequests.all = [];
  await press('Answer later');
  await screen.findByText('Nothing needs you.');
});

test('without any answer it is not sure, and Check reads what is true', async () => {
  server.lost = 5;
  const { dialog, choose, write, press } = await openAnswer(open());
  await choose('Nothing');
  await write('The session was held in full.');
  await press('Give nothing back');
  await vi.advanceTimersByTimeAsync(16_000);
  await dialog.findByText('Not sure whether it was done');
  await press('Check');
  await screen.findByText('Nothing needs you.');
  expect(server.refundRequests.answers).toHaveLength(1);
});

test.each([StaffRole.FRONT_DESK, StaffRole.PRACTITIONER])(
  'another role (%i) is shown none, neither as a task nor on the booking',
  async (role) => {
    open(role, 'booking');
    await screen.findByRole('heading', { level: 2, name: 'Money' });
    expect(screen.queryByText(/R-17/)).toBeNull();
  },
);

test('an answered request that was granted says how much', async () => {
  server.refundRequests.all = [
    refundRequest(ID, {
      ...{ state: RefundRequestState.GRANTED, amount: rupees(50_000n), answer: 'Sorry.' },
      answeredAt: at('2026-11-25T05:00:00Z'),
    }),
  ];
  open(StaffRole.OWNER, 'booking');
  await screen.findByText('Answered Wed, 25 Nov, 10:30 am: ₹500 goes back.');
});
