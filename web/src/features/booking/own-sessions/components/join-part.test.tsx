/** Joining the wait list on /account/waiting, with a server that a test plays. */
import { Code } from '@connectrpc/connect';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { type Booking, SessionMode } from '@/gen/booking/v1/booking_service_pb';
import { DayPart } from '@/gen/booking/v1/waiting_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { at, BOOKING_ID } from '@/testing/booking-fixture';
import { address, beginEach, openPage, type Person } from '@/testing/booking-page';
import { OwnSessionsServer, ownBooking } from '@/testing/own-sessions-server';
import { ASHA } from '@/testing/played-client';
import { practiceFixture, practitionersFixture } from '@/testing/practice-fixture';
import { refusal } from '@/testing/refusal';
import { OwnWaitingPage } from './own-waiting-page';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

const JOIN = '/account/waiting?service=general-consultation';

let server: OwnSessionsServer;

beginEach({ user: ASHA });

beforeEach(() => {
  server = new OwnSessionsServer();
});

function open(path = JOIN, several = true): Person {
  const snapshot = practiceFixture();
  const practitioners = several ? practitionersFixture() : [];
  snapshot.services = snapshot.services.map((service) => ({ ...service, practitioners }));
  const proof = (onProved: () => void) => (
    <button type="button" onClick={onProved}>
      Proved
    </button>
  );
  const page = () => <OwnWaitingPage proof={proof} />;
  return openPage(page, { path, snapshot, transport: server.transport() });
}

const button = (name: string) => screen.findByRole('button', { name });
const press = async (person: Person) => person.click(await button('Join the wait list'));

/** A booking that can be moved until a day before. */
function movable(changes: object = {}): Booking {
  const booking = ownBooking({ practitionerId: 'lead', mode: SessionMode.IN_PERSON, ...changes });
  const movableUntilAt = at('2026-11-23T05:30:00Z');
  const sessions = booking.sessions.map((one) => ({ ...one, movableUntilAt, movesLeft: 3 }));
  return { ...booking, sessions };
}

test('with nothing chosen anything fits, for 60 days', async () => {
  const person = open(JOIN, false);
  await screen.findByRole('heading', { name: 'Join the wait list for General Consultation' });
  await screen.findByText(/held for that person alone for up to two hours/);
  expect(screen.getByText(/not at night, from 9 pm to 8 am/)).toBeTruthy();
  expect(screen.queryByRole('group', { name: 'With whom?' })).toBeNull();
  expect(screen.getByLabelText('First name')).toHaveProperty('value', 'Asha');
  await expectAccessible();
  await press(person);
  const said = await screen.findByText('You are on the wait list for General Consultation');
  await waitFor(() => expect(document.activeElement?.contains(said)).toBe(true));
  expect(address()).toBe('/account/waiting');
  const [sent] = server.waiting.joins;
  expect(sent?.firstName).toBe('Asha');
  expect(sent?.wish).toMatchObject({
    ...{ serviceId: 'general-consultation', practitionerId: '', mode: SessionMode.ONLINE },
    ...{ fromDate: '', untilDate: '2027-01-21', weekdays: [], dayParts: [], noticeMinutes: 180 },
    earlierThanBookingId: '',
  });
  await screen.findByRole('article', { name: 'General Consultation' });
  await expectAccessible();
});

test('days, parts, dates, notice, way and practitioner go along', async () => {
  const person = open(`${JOIN}&practitioner=ravi`);
  const ravi = await screen.findByRole<HTMLInputElement>('radio', { name: 'Ravi Menon' });
  expect(ravi.checked).toBe(true);
  for (const name of ['Friday', 'Monday', 'Sunday', 'Evening, from 5 pm']) {
    await person.click(screen.getByRole('checkbox', { name }));
  }
  await person.click(screen.getByRole('checkbox', { name: 'Sunday' }));
  await person.click(screen.getByRole('radio', { name: 'In person' }));
  fireEvent.change(screen.getByLabelText('From'), { target: { value: '2026-12-01' } });
  fireEvent.change(screen.getByLabelText('Until'), { target: { value: '2026-12-20' } });
  await person.selectOptions(screen.getByLabelText('Tell me at the latest'), '24 hours before');
  await press(person);
  await screen.findByText('You are on the wait list for General Consultation');
  expect(server.waiting.joins[0]?.wish).toMatchObject({
    ...{ practitionerId: 'ravi', mode: SessionMode.IN_PERSON, noticeMinutes: 1440 },
    ...{ fromDate: '2026-12-01', untilDate: '2026-12-20' },
    ...{ weekdays: [1, 5], dayParts: [DayPart.EVENING] },
  });
  await screen.findByText('Mondays and Fridays, evenings');
  await screen.findByText('Tuesday, 1 December to Sunday, 20 December');
});

test('what is wrong is said beside its field, and above the form', async () => {
  const person = open();
  await person.clear(await screen.findByLabelText('First name'));
  fireEvent.change(screen.getByLabelText('From'), { target: { value: '2026-12-10' } });
  fireEvent.change(screen.getByLabelText('Until'), { target: { value: '2026-12-01' } });
  await press(person);
  expect(await screen.findAllByText('First name is required')).toHaveLength(2);
  expect(screen.getAllByText('Please choose a later date')).toHaveLength(2);
  await expectAccessible();
  await person.type(screen.getByLabelText('First name'), 'Asha');
  fireEvent.change(screen.getByLabelText('Until'), { target: { value: '2026-12-20' } });
  const detail = { field: 'wish.until_date', message: 'At most 60 days ahead.' };
  server.waiting.refusals = [refusal(Code.InvalidArgument, 'INVALID_WISH', detail)];
  await press(person);
  expect(await screen.findAllByText('At most 60 days ahead.')).toHaveLength(2);
});

test('a list that is full says so', async () => {
  const person = open();
  const message = 'You can wait for five things at a time. Leave one first.';
  server.waiting.refusals = [refusal(Code.FailedPrecondition, 'TOO_MANY_WAITING', { message })];
  await press(person);
  await screen.findByText('You wait for as much as you can');
  expect(screen.getByText(message)).toBeTruthy();
  await expectAccessible();
});

test('a lost answer is asked for again with the same key', async () => {
  const person = open();
  server.waiting.lost = 1;
  await press(person);
  await screen.findByText("We don't know yet whether you are on the list");
  await expectAccessible();
  await person.click(await button('Try again'));
  await screen.findByText('You are on the wait list for General Consultation');
  const [first, second] = server.waiting.joins;
  expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
  expect(server.waiting.list).toHaveLength(1);
});

test('an address that is not proved is proved first, and then it joins', async () => {
  const person = open();
  server.waiting.refusals = [refusal(Code.FailedPrecondition, 'ADDRESS_NOT_PROVED')];
  await press(person);
  await person.click(await button('Proved'));
  await screen.findByText('You are on the wait list for General Consultation');
});

test('an earlier time than that of a session asks for less', async () => {
  server.coming = [movable()];
  const person = open(`/account/waiting?earlier=${BOOKING_ID}`);
  await screen.findByRole('heading', { name: 'Tell me if an earlier time becomes free' });
  const lead =
    'General Consultation with Meera Joshi, earlier than Tue, 24 Nov, 11:00 am IST. ' +
    'Until you take another time, yours stays.';
  expect(screen.getByText(lead)).toBeTruthy();
  for (const label of ['From', 'Until']) expect(screen.queryByLabelText(label)).toBeNull();
  expect(screen.queryByRole('group', { name: 'How would you like to meet?' })).toBeNull();
  await expectAccessible();
  await press(person);
  await screen.findByText('You are on the wait list for General Consultation');
  expect(server.waiting.joins[0]?.wish).toMatchObject({
    ...{ serviceId: 'general-consultation', practitionerId: 'lead', mode: SessionMode.IN_PERSON },
    ...{ fromDate: '', untilDate: '2026-11-24', earlierThanBookingId: BOOKING_ID },
  });
});

test('a form for an earlier time that was left open over midnight can be sent', async () => {
  // Ten seconds before 23 November begins in India, until which the session can be moved.
  const now = new Date('2026-11-22T18:29:50Z');
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now });
  server.coming = [movable()];
  const person = open(`/account/waiting?earlier=${BOOKING_ID}`);
  await screen.findByRole('heading', { name: 'Tell me if an earlier time becomes free' });
  act(() => void vi.advanceTimersByTime(21_000));
  await press(person);
  await screen.findByText('You are on the wait list for General Consultation');
});

test('a session that cannot be moved has no earlier time', async () => {
  server.coming = [ownBooking()];
  open(`/account/waiting?earlier=${BOOKING_ID}`);
  await screen.findByText("You can't wait for an earlier time of this session");
  expect(screen.getByRole('link', { name: 'See the session' })).toBeTruthy();
  await expectAccessible();
});

test('a session of another account has none either', async () => {
  open(`/account/waiting?earlier=${BOOKING_ID}`);
  await screen.findByText("You can't wait for an earlier time of this session");
  expect(screen.getByRole('link', { name: 'Your sessions' })).toBeTruthy();
});

test('a service that is not offered says so', async () => {
  open('/account/waiting?service=nothing');
  await screen.findByText("We don't offer this session");
  await expectAccessible();
});
