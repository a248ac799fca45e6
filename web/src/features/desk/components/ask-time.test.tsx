/** Asking a client for another time at the desk, and taking that back, with a played server. */
import { Code } from '@connectrpc/connect';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { DeskServer, deskBookingId, staffBooking } from '@/testing/desk-server';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { MemberContext } from '../member';
import { actsFor } from '../model/acts';
import { sessionRows } from '../model/day';
import { chooseUntil } from '../model/move-proposal';
import { BookingScreen } from './booking-screen';
import './act-dialogs';
import { TodayScreen } from './today-screen';

vi.mock('@/lib/auth', () => ({ signOut: () => undefined }));

/** Noon, in India; the session is a week later at 3:00 pm. */
const NOW = Date.parse('2026-11-30T06:30:00Z');
const START = new Date('2026-12-07T09:30:00Z');
const ID = deskBookingId(7);
const ASKED = /^Asked to choose another time until Mon, 7 Dec, 3:00 pm$/;

let server: DeskServer;

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: NOW });
  server = new DeskServer();
  server.bookings = [staffBooking(7, START)];
});

function open(today = false) {
  const path = today ? '/desk/day/2026-12-07' : `/desk/bookings/${ID}`;
  const shown = today ? <TodayScreen params={{ id: '2026-12-07' }} /> : null;
  renderApp(
    <MemberContext value={{ userId: 'own', role: StaffRole.FRONT_DESK }}>
      <main>{shown ?? <BookingScreen params={{ id: ID }} />}</main>
      <Toaster />
    </MemberContext>,
    { path, transport: server.transport() },
  );
  return userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
}

type Person = ReturnType<typeof open>;

async function openDialog(person: Person, opener = /^What to do… with/) {
  await person.click(await screen.findByRole('button', { name: opener }));
  await person.click(screen.getByRole('button', { name: 'Ask for another time…' }));
  return within(await screen.findByRole('dialog', { name: 'Ask Asha Rao for another time' }));
}

async function ask(person: Person, dialog: Awaited<ReturnType<typeof openDialog>>) {
  await person.type(dialog.getByLabelText('Why'), 'The doctor is ill');
  await person.click(dialog.getByRole('button', { name: 'Ask Asha Rao' }));
}

test('the dialog says what happens, asks why, and the booking then says until when it waits', async () => {
  const person = open();
  const dialog = await openDialog(person);
  dialog.getByText(
    'The client gets a mail with three times. ' +
      'Nothing chosen until Sun, 6 Dec, 3:00 pm: everything goes back by itself.',
  );
  await expectAccessible();
  await person.click(dialog.getByRole('button', { name: 'Ask Asha Rao' }));
  dialog.getByText('Say why, in a few words');
  expect(server.proposals).toEqual([]);
  await ask(person, dialog);
  await screen.findByText('Asha Rao is asked for another time');
  await screen.findByText(ASKED);
  expect(server.proposals[0]).toMatchObject({
    ...{ bookingId: ID, sessionNumber: 0, reason: 'The doctor is ill', opensAgain: false },
  });
  await expectAccessible();
});

test('it is taken back by two presses, and the session keeps its time', async () => {
  server.askForTime(ID, 1);
  const person = open();
  await screen.findByText(ASKED);
  await person.click(screen.getByRole('button', { name: 'Take it back' }));
  server.lost = 1;
  await person.click(screen.getByRole('button', { name: 'Keep the time, and tell the client' }));
  await vi.advanceTimersByTimeAsync(2_000);
  await screen.findByText('Asha Rao: the session keeps its time');
  await waitFor(() => expect(screen.queryByText(ASKED)).toBeNull());
  expect(server.keys.size).toBe(1);
});

test('what its client has chosen meanwhile is not taken back', async () => {
  server.askForTime(ID, 1);
  const person = open();
  await person.click(await screen.findByRole('button', { name: 'Take it back' }));
  server.refusals = [refusal(Code.FailedPrecondition, 'NO_MOVE_PROPOSAL')];
  await person.click(screen.getByRole('button', { name: 'Keep the time, and tell the client' }));
  await screen.findByText('The client is not asked any more');
});

test('Today says it too, and its sheet offers what can be done', async () => {
  const person = open(true);
  const dialog = await openDialog(person, /Asha Rao/);
  await person.click(dialog.getByRole('checkbox', { name: /^Offer this time to others/ }));
  await ask(person, dialog);
  await screen.findByText('Asha Rao is asked for another time');
  expect(server.proposals[0]?.opensAgain).toBe(true);
  await person.click(await screen.findByRole('button', { name: /Asked to choose another time/ }));
  const sheet = within(screen.getByRole('dialog', { name: 'Asha Rao' }));
  sheet.getByRole('button', { name: 'Take it back' });
  sheet.getByRole('button', { name: 'Move…' });
  expect(sheet.queryByRole('button', { name: 'Ask for another time…' })).toBeNull();
});

test('each refusal has its words, and the dialog stays', async () => {
  const person = open();
  const dialog = await openDialog(person);
  await person.type(dialog.getByLabelText('Why'), 'Ill');
  const refusals = {
    NOT_MOVABLE: 'Another time cannot be asked for any more',
    CANCELLATION_PENDING: 'The client is cancelling it',
    INVALID_REASON: 'The reason is missing',
    NOT_OWN_CALENDAR: 'That is another person’s calendar',
  };
  for (const [reason, title] of Object.entries(refusals)) {
    server.refusals = [refusal(Code.FailedPrecondition, reason)];
    await person.click(dialog.getByRole('button', { name: 'Ask Asha Rao' }));
    await dialog.findByText(title);
  }
  server.moveSession(ID, new Date('2026-12-08T05:30:00Z'));
  await person.click(dialog.getByRole('button', { name: 'Ask Asha Rao' }));
  await dialog.findByText('It was moved meanwhile');
  await expectAccessible();
});

test('an answer that is lost is not sure, and Check reads what is true', async () => {
  const person = open();
  const dialog = await openDialog(person);
  server.lost = 5;
  await ask(person, dialog);
  await vi.advanceTimersByTimeAsync(16_000);
  await person.click(await dialog.findByRole('button', { name: 'Check' }));
  await waitFor(() => expect(dialog.queryByText('Not sure whether it was done')).toBeNull());
  await screen.findByText(ASKED);
  expect(server.keys.size).toBe(1);
});

test('the choice ends a day before the start, or at the start where the practice asks late', () => {
  const hours = (before: number) => START.getTime() - before * 3_600_000;
  expect(chooseUntil(START, hours(36)).getTime()).toBe(hours(24));
  expect(chooseUntil(START, hours(36) + 1)).toEqual(START);
});

test('a client is asked once and before the start, and is not marked as missing then', () => {
  const acts = (now: number) => {
    const [row] = sessionRows(server.bookings);
    return row ? actsFor(StaffRole.OWNER, row, now) : [];
  };
  expect(acts(NOW)).toContain('ask-time');
  expect(acts(START.getTime())).not.toContain('ask-time');
  expect(acts(START.getTime())).toContain('no-show');
  server.askForTime(ID, 1);
  expect(acts(NOW)).not.toContain('ask-time');
  expect(acts(NOW)).toContain('take-back');
  expect(acts(START.getTime())).not.toContain('no-show');
  expect(acts(START.getTime())).toContain('came');
  server.change(ID, { moveProposal: undefined, pendingCancellation: {} } as never);
  expect(acts(NOW)).not.toContain('ask-time');
});
