/** Moving a session on its page, with a server that a test plays. */
import { create } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { type Booking, BookingState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { MoveLimitsSchema } from '@/gen/common/v1/cancellation_pb';
import { expectAccessible } from '@/testing/accessible';
import { at, BOOKING_ID, packageFixture, slotsFixture } from '@/testing/booking-fixture';
import { beginEach, openPage, type Person } from '@/testing/booking-page';
import { OwnSessionsServer, ownBooking } from '@/testing/own-sessions-server';
import { ASHA } from '@/testing/played-client';
import { rupees } from '@/testing/receipt-fixture';
import { refusal } from '@/testing/refusal';
import './move-dialog';
import { OwnSessionPage } from './own-session-page';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

const NEW = '2026-11-26T05:30:00Z';
const BUTTON = 'Move to Thu, 26 Nov, 11:00 am IST';
const LIMITS = { movableUntilAt: at('2026-11-23T05:30:00Z'), movesLeft: 3, moves: 0 };

let server: OwnSessionsServer;

/** What the practice allows: until a day before, three times. */
function movable(changes: object = {}, limits: object = LIMITS): Booking {
  const booking = ownBooking(changes);
  if (booking.cancellationPolicy) {
    booking.cancellationPolicy.moves = create(MoveLimitsSchema, { untilHours: 24, times: 3 });
  }
  booking.sessions = booking.sessions.map((session) => ({ ...session, ...limits }));
  return booking;
}

beginEach({ user: ASHA });

beforeEach(() => {
  server = new OwnSessionsServer();
  server.coming = [movable()];
  server.moveSlots = slotsFixture([
    { date: '2026-11-22' },
    { date: '2026-11-23', starts: [{ hour: 10 }] },
    { date: '2026-11-24', starts: [{ hour: 11, available: false }, { hour: 15 }] },
    { date: '2026-11-25', closed: true },
    { date: '2026-11-26', starts: [{ hour: 11 }, { hour: 12, available: false }] },
  ]);
});

function open(): Person {
  const page = () => <OwnSessionPage bookingId={BOOKING_ID} />;
  const path = `/account/sessions/${BOOKING_ID}`;
  return openPage(page, { path, transport: server.transport() });
}

const button = (name: string) => screen.findByRole('button', { name });

async function choose(person: Person, what = 'Move this session'): Promise<void> {
  await person.click(await button(what));
  await person.click(await screen.findByRole('radio', { name: /^Thursday, 26 November/ }));
  await person.click(await screen.findByRole('radio', { name: /^11:00 am IST/ }));
}

/** Until the last press, which does it. */
async function move(person: Person): Promise<void> {
  await choose(person);
  await person.click(await button(BUTTON));
}

test('four presses move it: the present time, the limits, the free times, and both times', async () => {
  const person = open();
  await person.click(await button('Move this session'));
  const dialog = within(await screen.findByRole('dialog', { name: 'Move this session' }));
  expect(dialog.getByText('Tue, 24 Nov, 11:00 am IST')).toBeTruthy();
  const limits = 'You can move it until Mon, 23 Nov, 11:00 am IST, 3 more times.';
  expect(dialog.getByText(`${limits} Price, payment and receipt stay.`)).toBeTruthy();
  const now = await dialog.findByRole('radio', { name: /^11:00 am IST.*Your time now$/ });
  expect(now).toHaveProperty('disabled', true);
  expect(dialog.getByRole('link', { name: 'book anew' }).getAttribute('href')).toBe('/services');
  await expectAccessible();

  await person.click(dialog.getByRole('radio', { name: /^Thursday, 26 November/ }));
  await person.click(dialog.getByRole('radio', { name: /^11:00 am IST/ }));
  const both = await dialog.findByText(/^From Tue, 24 Nov, 11:00 am IST to/);
  expect(both.textContent).toContain('to Thu, 26 Nov, 11:00 am IST');
  expect(both.closest('[aria-live="polite"]')).toBeTruthy();
  await expectAccessible();
  await person.click(dialog.getByRole('button', { name: BUTTON }));

  const said = await screen.findByText('Moved to Thu, 26 Nov, 11:00 am IST');
  expect(said.closest('[role="status"]')).toBeTruthy();
  expect(document.activeElement?.contains(said)).toBe(true);
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.getByText(/^Thursday, 26 November 2026, 11:00 am/)).toBeTruthy();
  const [sent] = server.moves;
  expect(sent).toMatchObject({ bookingId: BOOKING_ID, sessionNumber: 0 });
  expect(sent?.shownStartsAt).toMatchObject(at('2026-11-24T05:30:00Z'));
  expect(sent?.startsAt).toMatchObject(at(NEW));
  await expectAccessible();
});

test('what can be moved can wait for an earlier time', async () => {
  open();
  const earlier = await screen.findByRole('link', {
    name: 'Tell me if an earlier time becomes free',
  });
  expect(earlier.getAttribute('href')).toBe(`/account/waiting?earlier=${BOOKING_ID}`);
});

test('by keys alone: the next free time is one press away, and the focus is on it', async () => {
  const person = open();
  (await button('Move this session')).focus();
  await person.keyboard('{Enter}');
  const take = await button('Take this time');
  take.focus();
  await person.keyboard('{Enter}');
  await waitFor(() => expect(document.activeElement?.getAttribute('value')).toContain('23T04:30'));
  const confirm = await button('Move to Mon, 23 Nov, 10:00 am IST');
  for (let tabs = 0; document.activeElement !== confirm && tabs < 9; tabs += 1) await person.tab();
  await person.keyboard('{Enter}');
  await screen.findByText('Moved to Mon, 23 Nov, 10:00 am IST');
});

test('keeping the time changes nothing', async () => {
  const person = open();
  await choose(person);
  await person.click(await button('Keep this time'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(server.moves).toEqual([]);
});

test.each([
  [Code.Aborted, 'SLOT_TAKEN', 'Thu, 26 Nov, 11:00 am IST was just taken'],
  [Code.FailedPrecondition, 'SLOT_PAST', 'Thu, 26 Nov, 11:00 am IST is too soon now'],
  [Code.FailedPrecondition, 'SLOT_NOT_OFFERED', /11:00 am IST is not offered any more$/],
  [Code.FailedPrecondition, 'OVERLAPS_OWN_SESSION', /^You have another session at Thu, 26 Nov/],
])('%s %s says so, with the list read again', async (code, reason, words) => {
  const person = open();
  await choose(person);
  const before = server.movePreviews;
  server.refusals = [refusal(code, reason)];
  await person.click(await button(BUTTON));
  const title = await screen.findByText(words);
  await waitFor(() => expect(document.activeElement?.contains(title)).toBe(true));
  expect(screen.queryByRole('button', { name: BUTTON })).toBeNull();
  await waitFor(() => expect(server.movePreviews).toBeGreaterThan(before));
  expect(screen.getByRole('radio', { name: /^Thursday, 26 November/ })).toHaveProperty(
    'checked',
    true,
  );
  await expectAccessible();
  // Another try is another command.
  await person.click(await screen.findByRole('radio', { name: /^11:00 am IST/ }));
  await person.click(await button(BUTTON));
  await screen.findByText('Moved to Thu, 26 Nov, 11:00 am IST');
  expect(new Set(server.moves.map((one) => one.idempotencyKey)).size).toBe(2);
});

test('moved meanwhile: both times are said, and the choice is made again', async () => {
  const person = open();
  await choose(person);
  server.moveSession(BOOKING_ID, 1, new Date('2026-11-27T05:30:00Z'));
  await person.click(await button(BUTTON));
  await screen.findByText('It was moved meanwhile to Fri, 27 Nov, 11:00 am IST');
  screen.getByText(/^It was at Tue, 24 Nov, 11:00 am IST before/);
  expect(screen.queryByRole('button', { name: BUTTON })).toBeNull();
  await expectAccessible();
  await person.click(await screen.findByRole('radio', { name: /^Thursday, 26 November/ }));
  await person.click(await screen.findByRole('radio', { name: /^11:00 am IST/ }));
  await person.click(await button(BUTTON));
  await screen.findByText('Moved to Thu, 26 Nov, 11:00 am IST');
  expect(server.moves[1]?.shownStartsAt).toMatchObject(at('2026-11-27T05:30:00Z'));
});

test.each([
  ['MOVE_TOO_LATE', 'It is too late to move it'],
  ['MOVED_TOO_OFTEN', 'It has been moved as often as it can be'],
  ['NOT_MOVABLE', "It can't be moved"],
])('%s leads to the cancellation with its sum', async (reason, title) => {
  const person = open();
  await choose(person);
  server.refusals = [refusal(Code.FailedPrecondition, reason)];
  await person.click(await button(BUTTON));
  await screen.findByText(title);
  const dialog = within(screen.getByRole('dialog'));
  dialog.getByText(/You can still cancel it. ₹1,500 back until Mon, 23 Nov, 11:00 am IST/);
  expect(dialog.queryByRole('radio')).toBeNull();
  await expectAccessible();
  await person.click(await button('Cancel it instead'));
  await screen.findByRole('dialog', { name: 'Cancel this session?' });
  await button('Cancel and get ₹1,500 back');
});

test('it says the same when the times are asked for', async () => {
  server.unmovable = refusal(Code.FailedPrecondition, 'MOVE_TOO_LATE');
  const person = open();
  await person.click(await button('Move this session'));
  await screen.findByText('It is too late to move it');
  await expectAccessible();
});

test('what is being cancelled is not moved', async () => {
  const person = open();
  await choose(person);
  server.refusals = [refusal(Code.FailedPrecondition, 'CANCELLATION_PENDING')];
  await person.click(await button(BUTTON));
  await screen.findByText('It is being cancelled');
  expect(screen.queryByRole('button', { name: 'Cancel it instead' })).toBeNull();
  await expectAccessible();
});

test('a lost answer is asked for again with the same key, and nothing is moved twice', async () => {
  const person = open();
  await choose(person);
  server.lost = 1;
  server.down = true;
  await person.click(await button(BUTTON));
  await screen.findByText("We don't know yet whether it is moved");
  await expectAccessible();
  await person.click(await button(BUTTON));
  await screen.findByText('Moved to Thu, 26 Nov, 11:00 am IST');
  const [sent, repeated] = server.moves;
  expect(repeated).toEqual(sent);
  expect(server.coming[0]?.sessions[0]?.moves).toBe(1);
});

test('a lost answer of what was done is found by the next look', async () => {
  server.lost = 1;
  const person = open();
  await move(person);
  await screen.findByText('Moved to Thu, 26 Nov, 11:00 am IST');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(server.moves).toHaveLength(1);
});

test('offline it says so, and nothing was moved until it is pressed again', async () => {
  const person = open();
  await choose(person);
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  server.lost = 1;
  server.down = true;
  await person.click(await button(BUTTON));
  await screen.findByText("We'll reconnect as soon as you're back online.");
});

test('times that cannot be read are asked for again, and while they come it says so', async () => {
  const person = open();
  const opener = await button('Move this session');
  server.down = true;
  let answer = () => {};
  server.gate = new Promise((resolve) => {
    answer = resolve;
  });
  await person.click(opener);
  await screen.findByText('Loading times…');
  await expectAccessible();
  answer();
  await screen.findByText("We can't say which times are free");
  await expectAccessible();
  server.down = false;
  await person.click(await button('Try again'));
  await screen.findByRole('radio', { name: /^Thursday, 26 November/ });
});

test('where nothing is free it says so', async () => {
  server.moveSlots = slotsFixture([{ date: '2026-11-22' }, { date: '2026-11-24' }]);
  const person = open();
  await person.click(await button('Move this session'));
  await screen.findByText('All times of the coming weeks are taken just now.');
  await expectAccessible();
});

test('what can be cancelled and not moved any more says why, without a button', async () => {
  server.coming = [movable({}, { movesLeft: 0, moves: 3 })];
  open();
  await screen.findByText("It can't be moved any more: you have moved it 3 times.");
  expect(screen.queryByRole('button', { name: /^Move/ })).toBeNull();
  await button('Cancel this session');
  await expectAccessible();
});

test('the end of the time for moving takes the button away', async () => {
  vi.setSystemTime(new Date('2026-11-23T06:00:00Z'));
  open();
  await screen.findByText("It can't be moved any more: that ends 24 hours before it starts.");
  expect(screen.queryByRole('button', { name: /^Move/ })).toBeNull();
});

test('a practice that lets nothing be moved says nothing of it', async () => {
  server.coming = [ownBooking({ price: rupees(50_000n) })];
  open();
  await button('Cancel this session');
  expect(screen.queryByText(/moved/)).toBeNull();
});

test('a session of a package stays in its place', async () => {
  const times = ['2026-11-23T05:30:00Z', '2026-11-25T05:30:00Z', '2026-11-27T05:30:00Z'];
  const starter = packageFixture(times.map((time) => new Date(time)));
  const booking = { ...starter, state: BookingState.CONFIRMED, paymentState: PaymentState.PAID };
  booking.sessions = booking.sessions.map((session) => ({ ...session, ...LIMITS }));
  server.coming = [booking];
  const person = open();
  await person.click(await button('Move session 2'));
  expect(screen.queryByText('Tell me if an earlier time becomes free')).toBeNull();
  const order =
    'It stays between session 1 (Mon, 23 Nov) and session 3 (Fri, 27 Nov), on a day of its own.';
  await screen.findByText(order);
  const first = await screen.findByRole('radio', { name: /^Monday, 23 November/ });
  expect(first).toHaveProperty('disabled', true);
  expect(screen.queryByText(/^Next available/)).toBeNull();
  await person.click(screen.getByRole('radio', { name: /^Thursday, 26 November/ }));
  await person.click(await screen.findByRole('radio', { name: /^11:00 am IST/ }));
  server.refusals = [
    refusal(Code.FailedPrecondition, 'OUT_OF_ORDER'),
    refusal(Code.InvalidArgument, 'DATES_TOO_FAR_APART'),
  ];
  await person.click(await button(BUTTON));
  await screen.findByText('The sessions of a package keep their order');
  await expectAccessible();
  await person.click(await screen.findByRole('radio', { name: /^11:00 am IST/ }));
  await person.click(await button(BUTTON));
  await screen.findByText(/is too far from the other sessions of your package$/);
  await person.click(await screen.findByRole('radio', { name: /^11:00 am IST/ }));
  await person.click(await button(BUTTON));
  await screen.findByText('Session 2 was moved to Thu, 26 Nov, 11:00 am IST');
  expect(server.moves.map(({ sessionNumber }) => sessionNumber)).toEqual([2, 2, 2]);
});
