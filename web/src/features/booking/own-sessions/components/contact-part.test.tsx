/** Correcting a booking's name, phone and note, with a server that a test plays. */
import { Code } from '@connectrpc/connect';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { BookingState } from '@/gen/booking/v1/booking_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { BOOKING_ID } from '@/testing/booking-fixture';
import { beginEach, openPage, type Person } from '@/testing/booking-page';
import { OwnSessionsServer, ownBooking } from '@/testing/own-sessions-server';
import { ASHA } from '@/testing/played-client';
import { refusal } from '@/testing/refusal';
import { OwnSessionPage } from './own-session-page';
// Loaded with the tests, so that none of them waits for it.
import './contact-dialog';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

const CONTACT = {
  firstName: 'Asha',
  lastName: 'Rao',
  email: 'asha@example.org',
  phone: '+919876543210',
};

let server: OwnSessionsServer;

beginEach({ user: ASHA });

beforeEach(() => {
  server = new OwnSessionsServer();
  server.coming = [ownBooking({ contact: CONTACT })];
});

function open(): Person {
  const page = () => <OwnSessionPage bookingId={BOOKING_ID} />;
  const path = `/account/sessions/${BOOKING_ID}`;
  return openPage(page, { path, transport: server.transport() });
}

const button = (name: string) => screen.findByRole('button', { name });

async function begin(person: Person) {
  await person.click(await button('Correct name, phone or note'));
  return within(await screen.findByRole('dialog', { name: 'Correct your details' }));
}

async function type(person: Person, label: RegExp | string, text: string) {
  const input = screen.getByLabelText(label);
  await person.clear(input);
  await person.type(input, text);
}

test('name, phone and note are corrected, and the address is shown and stays', async () => {
  const person = open();
  const dialog = await begin(person);
  expect(dialog.getByText('asha@example.org')).toBeTruthy();
  expect(dialog.queryByLabelText(/mail/i)).toBeNull();
  await expectAccessible();
  await type(person, 'First name', ' Usha ');
  await type(person, /^Phone/, '98765 00000');
  await type(person, /^Anything/, 'I sleep well.');
  await person.click(await button('Save'));
  await screen.findByText('Usha Rao');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await within(screen.getByTestId('toasts')).findByText('Your details are corrected');
  expect(server.corrections[0]).toMatchObject({
    ...{ bookingId: BOOKING_ID, firstName: 'Usha', lastName: 'Rao' },
    phone: '98765 00000',
  });
  await expectAccessible();
  // The note is there to be written anew.
  const again = await begin(person);
  expect(again.getByLabelText(/^Anything/)).toHaveProperty('value', 'I sleep well.');
  expect(again.getByLabelText(/^Phone/)).toHaveProperty('value', '98765 00000');
});

test('leaving it changes nothing', async () => {
  const person = open();
  await begin(person);
  await type(person, 'First name', 'Usha');
  await person.click(await button('Leave as it is'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(server.corrections).toEqual([]);
});

test('what is wrong is said beside its field, by the page and by the service', async () => {
  const person = open();
  await begin(person);
  await person.clear(screen.getByLabelText('First name'));
  await type(person, /^Phone/, 'call me');
  await person.click(await button('Save'));
  expect(await screen.findAllByText('First name is required')).toHaveLength(2);
  expect(screen.getAllByText(/^Enter a phone number such as/)).toHaveLength(2);
  expect(server.corrections).toEqual([]);
  await expectAccessible();
  await type(person, 'First name', 'Usha');
  await type(person, /^Phone/, '98765 00000');
  server.refusals = [
    refusal(Code.InvalidArgument, 'INVALID_PHONE', { field: 'phone', message: 'No such number.' }),
  ];
  await person.click(await button('Save'));
  expect(await screen.findAllByText('No such number.')).toHaveLength(2);
});

test('a session that has ended meanwhile is not corrected', async () => {
  const person = open();
  await begin(person);
  const message = 'The session is over.';
  server.refusals = [refusal(Code.FailedPrecondition, 'SESSION_ENDED', { message })];
  await person.click(await button('Save'));
  await screen.findByText('Nothing was changed');
  expect(screen.getByText(message)).toBeTruthy();
});

test('a lost answer is asked for again with the same key', async () => {
  const person = open();
  await begin(person);
  await type(person, 'Last name', 'Menon');
  server.lost = 1;
  await person.click(await button('Save'));
  await screen.findByText("We don't know yet whether it is changed");
  await expectAccessible();
  await person.click(await button('Save'));
  await screen.findByText('Asha Menon');
  const [first, second] = server.corrections;
  expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
});

test('what is over is not corrected', async () => {
  vi.setSystemTime(new Date('2026-11-30T05:30:00Z'));
  server.past = [ownBooking({ contact: CONTACT, state: BookingState.COMPLETED })];
  server.coming = [];
  open();
  await screen.findByRole('link', { name: /^Receipt/ });
  expect(screen.queryByText('Your details')).toBeNull();
});
