/** The client's own calendar below the lists, with a server that a test plays. */
import { Code, ConnectError } from '@connectrpc/connect';
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { beginEach, openPage, type Person } from '@/testing/booking-page';
import type { OwnCalendarServer } from '@/testing/own-calendar-server';
import { OwnSessionsServer, ownBooking } from '@/testing/own-sessions-server';
import { ASHA } from '@/testing/played-client';
import { refusal } from '@/testing/refusal';
import { OwnSessionsPage } from './own-sessions-page';
// Loaded with the tests, so that none of them waits for it.
import './calendar-section';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

const SUMMARY = 'See your sessions in your own calendar';
const FIRST = `${window.location.origin}/calendars/secret-0.ics`;

let sessions: OwnSessionsServer;
let server: OwnCalendarServer;

beginEach({ user: ASHA });

beforeEach(() => {
  sessions = new OwnSessionsServer();
  sessions.coming = [ownBooking()];
  server = sessions.calendar;
});

function open(): Person {
  const page = () => <OwnSessionsPage />;
  return openPage(page, { path: '/account/sessions', transport: sessions.transport() });
}

const button = (name: string) => screen.findByRole('button', { name });

async function unfold(): Promise<Person> {
  const person = open();
  await person.click(await screen.findByText(SUMMARY));
  return person;
}

/** Presses a button beside the address, and gives what is asked then. */
async function ask(person: Person, name: string, title: string) {
  await person.click(await button(name));
  return within(await screen.findByRole('dialog', { name: title }));
}

function look(): void {
  act(() => void window.dispatchEvent(new Event('visibilitychange')));
}

async function expectTold(title: string) {
  await within(screen.getByTestId('toasts')).findByText(title);
}

test('nothing is asked for before it is opened', async () => {
  open();
  const summary = await screen.findByText(SUMMARY);
  expect(summary.closest('details')?.open).toBe(false);
  await expectAccessible();
  expect(server.reads).toBe(0);
});

test('without any booking there is nothing to open', async () => {
  sessions.coming = [];
  open();
  await screen.findByText(/You have no sessions yet/);
  expect(screen.queryByText(SUMMARY)).toBeNull();
});

test('an address is made, shows only that there is a session, and is copied', async () => {
  const person = await unfold();
  expect(await screen.findByLabelText('Show only that I have a session')).toHaveProperty(
    'checked',
    true,
  );
  await expectAccessible();
  await person.click(await button('Make an address'));
  const address = await screen.findByText(/secret-1\.ics$/);
  expect(address.textContent).toBe(`${window.location.origin}${server.calendar.path}`);
  expect(server.renewals.map(({ details }) => details)).toEqual([false]);
  expect(screen.getByText('It shows only that you have a session.')).toBeTruthy();
  expect(screen.getByText(/^Anyone with this address sees the times/)).toBeTruthy();
  expect(screen.getByText(/From URL/)).toBeTruthy();
  expect(screen.getByText(/Add Subscription Calendar/)).toBeTruthy();
  expect(screen.getByText(/every few hours/)).toBeTruthy();
  await expectTold('Your calendar address is made');
  // Its button is gone.
  await waitFor(() => expect(document.activeElement?.contains(address)).toBe(true));
  expect(document.activeElement).not.toBe(document.body);
  await expectAccessible();
  await person.click(await button('Copy'));
  await expectTold('Copied');
  expect(await navigator.clipboard.readText()).toBe(address.textContent);
});

test('it is made with service and practitioner where that is chosen', async () => {
  const person = await unfold();
  await person.click(await screen.findByLabelText('With service and practitioner'));
  await person.click(await button('Make an address'));
  await screen.findByText('It shows them with service, practitioner and place.');
  expect(server.renewals.map(({ details }) => details)).toEqual([true]);
  expect(screen.getByText(/And what they are, and with whom/)).toBeTruthy();
});

test('one that is there is shown again, and what cannot be copied is said', async () => {
  server.make(true);
  const person = await unfold();
  await screen.findByText(FIRST);
  expect(screen.queryByRole('button', { name: 'Make an address' })).toBeNull();
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValueOnce(new Error('Not allowed'));
  await person.click(await button('Copy'));
  await expectTold('It could not be copied');
});

test('a new address is asked about, and each has a key of its own', async () => {
  server.make(false);
  const person = await unfold();
  const kept = await ask(person, 'New address', 'Make a new address?');
  await expectAccessible();
  await person.click(kept.getByRole('button', { name: 'Keep the old one' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(server.renewals).toEqual([]);

  const first = await ask(person, 'New address', 'Make a new address?');
  await person.click(first.getByLabelText('With service and practitioner'));
  await person.click(first.getByRole('button', { name: 'Make a new address' }));
  await screen.findByText(/secret-1\.ics$/);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(screen.queryByText(FIRST)).toBeNull();
  await expectTold('You have a new calendar address');

  const second = await ask(person, 'New address', 'Make a new address?');
  await person.click(second.getByRole('button', { name: 'Make a new address' }));
  await screen.findByText(/secret-2\.ics$/);
  const [one, two] = server.renewals;
  expect([one?.details, two?.details]).toEqual([true, true]);
  expect(one?.idempotencyKey).not.toBe(two?.idempotencyKey);
});

test('it is stopped after a question, and can be made again', async () => {
  server.make(false);
  const person = await unfold();
  const dialog = await ask(person, 'Stop', 'Stop this address?');
  await expectAccessible();
  await person.click(dialog.getByRole('button', { name: 'Stop the address' }));
  const make = await button('Make an address');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await expectTold('Your calendar address is stopped');
  expect(server.stops).toBe(1);
  await waitFor(() => expect(document.activeElement?.contains(make)).toBe(true));
  expect(document.activeElement).not.toBe(document.body);
  await expectAccessible();
});

test('a lost answer is said, and asked for again with the same key', async () => {
  const person = await unfold();
  await button('Make an address');
  server.lost = 1;
  server.down = true;
  await person.click(await button('Make an address'));
  await screen.findByText("We don't know yet whether the address was made");
  await expectAccessible();
  await person.click(await button('Make an address'));
  await screen.findByText(/secret-1\.ics$/);
  const [first, second] = server.renewals;
  expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
});

test('what a lost answer has done is told by the next read', async () => {
  const person = await unfold();
  server.lost = 1;
  await person.click(await button('Make an address'));
  await screen.findByText(/secret-1\.ics$/);
  await expectTold('Your calendar address is made');
  server.lost = 1;
  const dialog = await ask(person, 'Stop', 'Stop this address?');
  await person.click(dialog.getByRole('button', { name: 'Stop the address' }));
  await button('Make an address');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await expectTold('Your calendar address is stopped');
  expect(server.renewals).toHaveLength(1);
});

test('what is not known of a stop and a new address is said in their dialogs', async () => {
  server.make(false);
  const person = await unfold();
  await screen.findByText(FIRST);
  server.down = true;
  server.refusals = [new ConnectError('Failed to fetch', Code.Unknown)];
  const stop = await ask(person, 'Stop', 'Stop this address?');
  await person.click(stop.getByRole('button', { name: 'Stop the address' }));
  await stop.findByText("We don't know yet whether the address is stopped");
  await expectAccessible();
  await person.click(stop.getByRole('button', { name: 'Keep it' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  server.refusals = [new ConnectError('Failed to fetch', Code.Unknown)];
  const renew = await ask(person, 'New address', 'Make a new address?');
  await person.click(renew.getByRole('button', { name: 'Make a new address' }));
  await renew.findByText("We don't know yet whether there is a new address");
  await person.click(renew.getByRole('button', { name: 'Make a new address' }));
  await screen.findByText(/secret-1\.ics$/);
  const [first, second] = server.renewals;
  expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
});

test('a refusal says that nothing was done', async () => {
  const person = await unfold();
  server.refusals = [refusal(Code.InvalidArgument, 'INVALID_IDEMPOTENCY_KEY')];
  await person.click(await button('Make an address'));
  await screen.findByText('No address was made');
  await person.click(await button('Make an address'));
  await screen.findByText(/secret-1\.ics$/);
});

test('what cannot be read says so, and is read again by a press', async () => {
  let answer = () => {};
  server.gate = new Promise((resolve) => {
    answer = resolve;
  });
  server.down = true;
  server.make(false);
  const person = await unfold();
  await screen.findByText('Loading your calendar…');
  await expectAccessible();
  answer();
  const retry = await button('Try again');
  expect(screen.queryByRole('button', { name: 'Make an address' })).toBeNull();
  await expectAccessible();
  server.down = false;
  await person.click(retry);
  await screen.findByText(FIRST);
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});

test('a session that has ended shows no address', async () => {
  server.make(false);
  await unfold();
  await screen.findByText(FIRST);
  server.unreadable = refusal(Code.Unauthenticated, 'UNAUTHENTICATED');
  look();
  await button('Sign In');
  expect(screen.queryByText(FIRST)).toBeNull();
});
