/** Moving a session at the desk, with a played server: from its booking's screen, and from Today. */
import { Code } from '@connectrpc/connect';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { BookingState } from '@/gen/booking/v1/booking_service_pb';
import { MovedBy, StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { at, slotsFixture } from '@/testing/booking-fixture';
import { DeskServer, deskBookingId, staffBooking } from '@/testing/desk-server';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { MemberContext } from '../member';
import { BookingScreen } from './booking-screen';
import './act-dialogs';
import { TodayScreen } from './today-screen';

vi.mock('@/lib/auth', () => ({ signOut: () => undefined }));

/** Noon of the day before, in India. */
const NOW = Date.parse('2026-11-23T06:30:00Z');
const START = new Date('2026-11-24T05:30:00Z');
const NEW = new Date('2026-11-26T05:30:00Z');
const BUTTON = 'Move Asha Rao to Thu, 26 Nov, 11:00 am';
const ID = deskBookingId(7);

let server: DeskServer;

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: NOW });
  server = new DeskServer();
  server.bookings = [staffBooking(7, START)];
  server.slots = slotsFixture([
    { date: '2026-11-23', starts: [{ hour: 16 }] },
    { date: '2026-11-26', starts: [{ hour: 11 }, { hour: 12 }] },
  ]);
});

function open(role = StaffRole.FRONT_DESK, today = false) {
  const shown = today ? <TodayScreen params={{ id: '2026-11-24' }} /> : undefined;
  renderApp(
    <MemberContext value={{ userId: 'own', role }}>
      <main>{shown ?? <BookingScreen params={{ id: ID }} />}</main>
      <Toaster />
    </MemberContext>,
    {
      path: today ? '/desk/day/2026-11-24' : `/desk/bookings/${ID}`,
      transport: server.transport(),
    },
  );
  return userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
}

type Person = ReturnType<typeof open>;

/** Until the button that does it. */
async function choose(person: Person, opener = /^What to do… with/): Promise<HTMLElement> {
  await person.click(await screen.findByRole('button', { name: opener }));
  await person.click(screen.getByRole('button', { name: 'Move…' }));
  await person.click(await screen.findByRole('radio', { name: 'Thu 26 Nov' }));
  await person.click(screen.getByRole('radio', { name: '11:00 am' }));
  return screen.findByRole('button', { name: BUTTON });
}

test('the name and the new time stand on the button, and Undo moves it back', async () => {
  const person = open();
  const button = await choose(person);
  const dialog = within(screen.getByRole('dialog', { name: 'Move for Asha Rao' }));
  dialog.getByText('Now: Tue, 24 Nov, 11:00 am IST');
  await expectAccessible();
  await person.click(dialog.getByRole('radio', { name: 'The practice' }));
  await person.click(button);
  dialog.getByText('Say why, in a few words');
  await person.type(dialog.getByLabelText('Why'), 'The doctor is ill');
  await person.click(button);
  await screen.findByText('Asha Rao: moved to Thu, 26 Nov, 11:00 am');
  await screen.findByText(/^Thursday, 26 November 2026, 11:00 am/);
  expect(screen.queryByRole('dialog')).toBeNull();
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  await screen.findByText('Asha Rao: back at Tue, 24 Nov, 11:00 am');
  await screen.findByText(/^Tuesday, 24 November 2026, 11:00 am/);
  const [there, back] = server.moves;
  const said = { bookingId: ID, sessionNumber: 0, movedBy: MovedBy.PRACTICE };
  expect(there).toMatchObject({ ...said, practitionerId: '', reason: 'The doctor is ill' });
  expect(back).toMatchObject({ ...said, practitionerId: '', reason: 'Moved back at once.' });
  expect(there?.startsAt).toMatchObject(at(NEW.toISOString()));
  expect(back?.shownStartsAt).toMatchObject(at(NEW.toISOString()));
  expect(back?.startsAt).toMatchObject(at(START.toISOString()));
  expect(server.keys.size).toBe(2);
});

test('moving back that is refused says so', async () => {
  const person = open();
  await person.click(await choose(person));
  const undo = await screen.findByRole('button', { name: 'Undo' });
  server.refusals = [refusal(Code.Aborted, 'SLOT_TAKEN')];
  await person.click(undo);
  await screen.findByText('It was not moved back');
  screen.getByText('That time was just taken.');
});

test('moving back without any answer is not sure', async () => {
  const person = open();
  await person.click(await choose(person));
  const undo = await screen.findByRole('button', { name: 'Undo' });
  server.lost = 5;
  await person.click(undo);
  await vi.advanceTimersByTimeAsync(16_000);
  await screen.findByText('Not sure whether it was moved back');
});

test('Today offers it to each role, and for the client where nothing else is said', async () => {
  const person = open(StaffRole.PRACTITIONER, true);
  await person.click(await choose(person, /Asha Rao/));
  await screen.findByText('Asha Rao: moved to Thu, 26 Nov, 11:00 am');
  expect(server.moves[0]).toMatchObject({ movedBy: MovedBy.CUSTOMER_ASKED, reason: '' });
});

test('what is held has no such act', async () => {
  server.bookings = [staffBooking(7, START, { state: BookingState.HELD })];
  const person = open();
  await person.click(await screen.findByRole('button', { name: /^What to do… with/ }));
  expect(screen.queryByRole('button', { name: 'Move…' })).toBeNull();
});

test('a time that was just taken is said, and the list is fresh', async () => {
  const person = open();
  const button = await choose(person);
  server.slots = slotsFixture([{ date: '2026-11-26', starts: [{ hour: 12 }] }]);
  server.refusals = [refusal(Code.Aborted, 'SLOT_TAKEN')];
  await person.click(button);
  await screen.findByText('That time was just taken');
  await waitFor(() => expect(screen.queryByRole('radio', { name: '11:00 am' })).toBeNull());
  expect(screen.queryByRole('button', { name: BUTTON })).toBeNull();
  await expectAccessible();
});

test('moved by another meanwhile: both times are said', async () => {
  const person = open();
  const button = await choose(person);
  server.moveSession(ID, new Date('2026-11-25T05:30:00Z'));
  await person.click(button);
  await screen.findByText('It is at Wed, 25 Nov, 11:00 am now');
  screen.getByText('It was at Tue, 24 Nov, 11:00 am when you opened this. Choose again.');
  screen.getByRole('dialog', { name: 'Move for Asha Rao' });
  await expectAccessible();
  await person.click(await screen.findByRole('button', { name: BUTTON }));
  await screen.findByText('Asha Rao: moved to Thu, 26 Nov, 11:00 am');
  const shown = server.moves.map(({ shownStartsAt }) => shownStartsAt?.seconds);
  expect(shown).toEqual([at('2026-11-24T05:30:00Z').seconds, at('2026-11-25T05:30:00Z').seconds]);
});

test('each refusal has its words, and the choice stays where it can be made again', async () => {
  const person = open();
  const button = await choose(person);
  const refusals = {
    NOT_MOVABLE: 'It cannot be moved any more',
    INVALID_REASON: 'The reason is missing',
    PRACTITIONER_NOT_FOUND: 'That person does not give this session',
    CANCELLATION_PENDING: 'The client is cancelling it',
    SLOT_PAST: 'That time has passed',
    SLOT_NOT_OFFERED: 'That time is not offered',
    OVERLAPS_OWN_SESSION: 'The client has another session then',
    OUT_OF_ORDER: 'The sessions of a package keep their order',
    DATES_TOO_FAR_APART: 'That is too far from the other sessions of the package',
    ROLE_NOT_ALLOWED: 'Your role does not allow this',
  };
  for (const [reason, title] of Object.entries(refusals)) {
    server.refusals = [refusal(Code.FailedPrecondition, reason)];
    await person.click(button);
    await screen.findByText(title);
  }
  await expectAccessible();
  expect(new Set(server.moves.map((one) => one.idempotencyKey)).size).toBe(server.moves.length);
});

test('a lost answer is asked for again under its key; without any it is not sure', async () => {
  const person = open();
  const button = await choose(person);
  server.lost = 5;
  await person.click(button);
  await vi.advanceTimersByTimeAsync(16_000);
  await screen.findByText('Not sure whether it was done');
  expect(server.keys.size).toBe(1);
  await person.click(screen.getByRole('button', { name: 'Check' }));
  await screen.findByText('It is at Thu, 26 Nov, 11:00 am now');
  await expectAccessible();
});

test('times that cannot be read are asked for again', async () => {
  const person = open();
  await person.click(await screen.findByRole('button', { name: /^What to do… with/ }));
  server.down = true;
  await person.click(screen.getByRole('button', { name: 'Move…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Move for Asha Rao' }));
  const retry = await dialog.findByRole('button', { name: 'Try again' });
  await expectAccessible();
  server.down = false;
  await person.click(retry);
  await dialog.findByRole('radio', { name: 'Thu 26 Nov' });
});

test('later and earlier days, by keys alone', async () => {
  const person = open();
  (await screen.findByRole('button', { name: /^What to do… with/ })).focus();
  await person.keyboard('{Enter}');
  screen.getByRole('button', { name: 'Move…' }).focus();
  await person.keyboard('{Enter}');
  const later = await screen.findByRole('button', { name: 'Later days' });
  expect(screen.queryByRole('button', { name: 'Earlier days' })).toBeNull();
  later.focus();
  server.slots = slotsFixture([]);
  await person.keyboard('{Enter}');
  await screen.findByText('No time is free in these two weeks.');
  (await screen.findByRole('button', { name: 'Earlier days' })).focus();
  await person.keyboard('{Enter}');
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Earlier days' })).toBeNull());
});
