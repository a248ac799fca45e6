/** "Mails about sessions", with a server that a test plays. */
import { Code } from '@connectrpc/connect';
import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { beginEach, openPage, type Person } from '@/testing/booking-page';
import { MailPreferencesServer } from '@/testing/mail-preferences-server';
import { ASHA } from '@/testing/played-client';
import { refusal } from '@/testing/refusal';
import { isSameChoice, remindersWords, toggled } from '../mail-preferences';
import { MailPart } from './mail-part';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

const OFF = "You'll get no reminder. The confirmation and changes still come.";

let server: MailPreferencesServer;

beginEach({ user: ASHA });

beforeEach(() => {
  server = new MailPreferencesServer();
});

async function open(): Promise<Person> {
  const page = () => <MailPart userId="u1" />;
  const person = openPage(page, { path: '/account/sessions', transport: server.transport() });
  await person.click(screen.getByText('Mails about sessions'));
  return person;
}

const box = (name: string) => screen.findByRole<HTMLInputElement>('checkbox', { name });
const save = () => screen.getByRole('button', { name: 'Save' });

test('without a choice it says what the practice sends', async () => {
  await open();
  await screen.findByText(/The practice's usual: 24 hours and 1 hour before\./);
  expect((await box('24 hours before')).checked).toBe(true);
  expect((await box('1 hour before')).checked).toBe(true);
  expect((await box('48 hours before')).disabled).toBe(true);
  expect(screen.getByText(/Take one away to choose another one/)).toBeTruthy();
  await expectAccessible();
});

test('another time is chosen in place of one, and it is saved as a whole', async () => {
  const person = await open();
  await person.click(await box('1 hour before'));
  await person.click(await box('48 hours before'));
  await person.click(await box('Thank me after a session, with the way to a review'));
  expect(server.saved).toEqual([]);
  await person.click(save());
  await screen.findByText('Saved. It holds for all of your sessions.');
  expect(server.saved).toHaveLength(1);
  expect(server.saved[0]).toMatchObject({ reminderHours: [48, 24], thanks: false });
  expect(screen.queryByText(/The practice's usual/)).toBeNull();
  // What is changed next is not saved yet.
  await person.click(await box('48 hours before'));
  await waitFor(() => expect(screen.queryByText(/^Saved/)).toBeNull());
  await expectAccessible();
});

test('reminders can be off, which is said before it is saved', async () => {
  const person = await open();
  await person.click(await box('24 hours before'));
  expect(screen.queryByText(OFF)).toBeNull();
  await person.click(await box('1 hour before'));
  expect(screen.getByText(OFF)).toBeTruthy();
  await person.click(save());
  await screen.findByText(/^Saved/);
  expect(server.saved[0]?.reminderHours).toEqual([]);
  await expectAccessible();
});

test('the keyboard goes through the hours, the thanks and the button, in this order', async () => {
  server.preferences.reminderHours = [];
  const person = await open();
  await box('48 hours before');
  screen.getByText('Mails about sessions').focus();
  const names: (string | null | undefined)[] = [];
  for (let step = 0; step < 8; step += 1) {
    await person.tab();
    const focused = document.activeElement as HTMLInputElement | null;
    names.push(focused?.labels?.[0]?.textContent || focused?.textContent);
  }
  expect(names.filter(Boolean)).toEqual([
    ...['48 hours before', '24 hours before', '12 hours before', '4 hours before'],
    ...['2 hours before', '1 hour before'],
    'Thank me after a session, with the way to a review',
    'Save',
  ]);
});

test('what is not saved says so and keeps the choice, which may be saved again', async () => {
  const person = await open();
  await person.click(await box('1 hour before'));
  server.refusals = [refusal(Code.InvalidArgument, 'INVALID_REMINDER_HOURS')];
  await person.click(save());
  await screen.findByText('It is not saved');
  expect((await box('1 hour before')).checked).toBe(false);
  await expectAccessible();
  server.lost = 1;
  await person.click(save());
  await screen.findByText("We don't know yet whether it is saved");
  await person.click(save());
  await screen.findByText(/^Saved/);
  expect(server.saved.map((one) => one.reminderHours)).toEqual([[24], [24], [24]]);
});

test('what is changed while it is being saved is kept', async () => {
  const person = await open();
  await person.click(await box('1 hour before'));
  let answer = () => {};
  server.gate = new Promise((resolve) => {
    answer = resolve;
  });
  await person.click(save());
  await person.click(await box('4 hours before'));
  answer();
  await waitFor(() => expect(screen.queryByText(/The practice's usual/)).toBeNull());
  expect((await box('4 hours before')).checked).toBe(true);
  expect(screen.queryByText(/^Saved/)).toBeNull();
  await person.click(save());
  await screen.findByText(/^Saved/);
  expect(server.saved.map((one) => one.reminderHours)).toEqual([[24], [24, 4]]);
});

test("a practice's own hours that can't be chosen take no place among the two", async () => {
  server.preferences.reminderHours = [36, 3];
  const person = await open();
  await screen.findByText(/The practice's usual: 36 hours and 3 hours before\./);
  await person.click(await box('24 hours before'));
  await person.click(await box('2 hours before'));
  await person.click(save());
  await screen.findByText(/^Saved/);
  expect(server.saved[0]?.reminderHours).toEqual([24, 2]);
});

test('what cannot be read says so, and is read again by a press', async () => {
  server.down = true;
  const person = await open();
  const again = await screen.findByRole('button', { name: 'Try again' });
  server.down = false;
  await person.click(again);
  expect(await box('24 hours before')).toBeTruthy();
});

test('offline it says so', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  const person = await open();
  await box('24 hours before');
  server.lost = 1;
  await person.click(save());
  await screen.findByText(/reconnect as soon as you're back online/);
});

test('after a session that has ended nothing of it is shown', async () => {
  server.unreadable = refusal(Code.Unauthenticated, 'UNAUTHENTICATED');
  await open();
  await screen.findByRole('button', { name: 'Sign In' });
  expect(screen.queryByRole('checkbox')).toBeNull();
});

test('at most two hours are chosen, the most first', () => {
  expect(toggled([24], 48)).toEqual([48, 24]);
  expect(toggled([48, 24], 1)).toEqual([48, 24]);
  expect(toggled([48, 24], 48)).toEqual([24]);
  expect([[], [1], [24, 1]].map(remindersWords)).toEqual([
    'no reminder',
    '1 hour before',
    '24 hours and 1 hour before',
  ]);
  const choice = { reminderHours: [24], thanks: true };
  expect(isSameChoice(choice, { ...choice, thanks: false })).toBe(false);
});
