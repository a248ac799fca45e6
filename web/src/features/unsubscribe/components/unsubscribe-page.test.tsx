/** Ending mails and having them again, with a server that a test plays. */
import { Code, type ConnectError, createRouterTransport } from '@connectrpc/connect';
import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useLocation } from 'react-router';
import { beforeEach, expect, test } from 'vitest';
import { NotificationsService } from '@/gen/notifications/v1/notifications_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { tokenIn } from '../link';
import { UnsubscribePage } from './unsubscribe-page';

const TOKEN = 'Ab_-'.repeat(11).slice(0, 43);
type Call = 'unsubscribe' | 'resubscribe';
const server: { asked: Call[]; refusals: ConnectError[] } = { asked: [], refusals: [] };

beforeEach(() => {
  server.asked = [];
  server.refusals = [];
});

function answer(call: Call, token: string) {
  expect(token).toBe(TOKEN);
  server.asked.push(call);
  const refused = server.refusals.shift();
  if (refused) throw refused;
  return {};
}

const transport = createRouterTransport(({ service }) =>
  service(NotificationsService, {
    unsubscribe: ({ token }) => answer('unsubscribe', token),
    resubscribe: ({ token }) => answer('resubscribe', token),
  }),
);

function Where() {
  const { pathname, search } = useLocation();
  return <p data-testid="where">{`${pathname}${search}`}</p>;
}

function open(path = `/unsubscribe?t=${TOKEN}`) {
  const page = (
    <main>
      <UnsubscribePage />
      <Where />
    </main>
  );
  renderApp(page, { path, transport });
  return userEvent.setup();
}

const title = () => screen.getByRole('heading', { level: 1 }).textContent;
const where = () => screen.getByTestId('where').textContent;
const button = (name: string) => screen.getByRole('button', { name });

/** Opens the link, waits until the page has read it, and presses. */
async function press(name: string) {
  const person = open();
  await waitFor(() => expect(where()).toBe('/unsubscribe'));
  await person.click(button(name));
  return person;
}

/** The same tab after a reload: its address has no secret any more. */
function reload() {
  cleanup();
  return open('/unsubscribe');
}

test('the page says what stops and what does not, and does nothing by itself', async () => {
  open();
  expect(title()).toBe('Unsubscribe');
  const stops = screen.getByText('What stops').nextElementSibling?.textContent ?? '';
  expect(stops).toMatch(/guide by mail, also when it is asked for again/);
  expect(stops).toMatch(/a message to us has arrived/);
  expect(stops).toMatch(/thank-you after a session/);
  expect(screen.getByRole('link', { name: 'read it here' }).getAttribute('href')).toBe(
    '/meditation-guide',
  );
  const stays = screen.getByText('What does not').nextElementSibling?.textContent ?? '';
  expect(stays).toMatch(/Everything about your bookings and your account/);
  await waitFor(() => expect(where()).toBe('/unsubscribe'));
  expect(button('Unsubscribe')).toBeTruthy();
  expect(server.asked).toEqual([]);
  await expectAccessible();
});

test('one press ends the mails, and the page says so', async () => {
  const person = open();
  await waitFor(() => expect(where()).toBe('/unsubscribe'));
  await person.dblClick(button('Unsubscribe'));
  await waitFor(() => expect(title()).toBe('You are unsubscribed'));
  await expectAccessible();
  expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 }));
  expect(server.asked).toEqual(['unsubscribe']);
  expect(document.body.textContent).not.toMatch(/write to us/i);
});

test('a reload after that says it still, and one more press takes it back', async () => {
  await press('Unsubscribe');
  await waitFor(() => expect(title()).toBe('You are unsubscribed'));
  const person = reload();
  await waitFor(() => expect(title()).toBe('You are unsubscribed'));
  await person.dblClick(button('Undo'));
  await waitFor(() => expect(title()).toBe('Our mails come again'));
  await expectAccessible();
  expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 }));
  expect(server.asked).toEqual(['unsubscribe', 'resubscribe']);
  const again = reload();
  await waitFor(() => expect(title()).toBe('Our mails come again'));
  await again.click(button('Unsubscribe'));
  await waitFor(() => expect(title()).toBe('You are unsubscribed'));
  expect(server.asked).toEqual(['unsubscribe', 'resubscribe', 'unsubscribe']);
});

test('an old link offers both ways, whatever was done with it here', async () => {
  await press('Unsubscribe');
  await waitFor(() => expect(title()).toBe('You are unsubscribed'));
  cleanup();
  await press('Get These Mails Again');
  await waitFor(() => expect(title()).toBe('Our mails come again'));
  expect(server.asked).toEqual(['unsubscribe', 'resubscribe']);
});

test('what was done is said even where the secret is lost, but cannot be undone there', async () => {
  sessionStorage.setItem('unsubscribeDone', 'end');
  open('/unsubscribe');
  await waitFor(() => expect(title()).toBe('You are unsubscribed'));
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
});

test('a failure is said in words and can be tried again', async () => {
  server.refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE', { referenceId: 'ref-9' })];
  const person = await press('Unsubscribe');
  expect((await screen.findByRole('alert')).textContent).toContain('ref-9');
  await expectAccessible();
  await person.click(button('Unsubscribe'));
  await waitFor(() => expect(title()).toBe('You are unsubscribed'));
  expect(screen.queryByRole('alert')).toBeNull();
  server.refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE')];
  await person.click(button('Undo'));
  // The answer may have been lost after all was done, so nothing is claimed about that.
  expect((await screen.findByRole('alert')).textContent).toBe(
    'We could not be reachedPlease try again in a moment. Pressing twice does no harm.',
  );
  expect(title()).toBe('You are unsubscribed');
  await person.click(button('Undo'));
  await waitFor(() => expect(title()).toBe('Our mails come again'));
});

test('a link that the server does not know is said to be incomplete', async () => {
  server.refusals = [refusal(Code.InvalidArgument, 'INVALID_TOKEN', { field: 'token' })];
  await press('Unsubscribe');
  await waitFor(() => expect(title()).toBe('This link is not complete'));
  expect(sessionStorage.length).toBe(0);
});

test('a cut link and an address without a link are said to be no links', async () => {
  open('/unsubscribe?t=abc');
  await waitFor(() => expect(title()).toBe('This link is not complete'));
  await expectAccessible();
  expect(where()).toBe('/unsubscribe');
  expect(screen.queryByRole('button')).toBeNull();
});

test('a reload has the secret still, though the address has not', async () => {
  sessionStorage.setItem('unsubscribeToken', TOKEN);
  const person = open('/unsubscribe');
  await person.click(button('Unsubscribe'));
  await waitFor(() => expect(title()).toBe('You are unsubscribed'));
  expect(server.asked).toEqual(['unsubscribe']);
});

test('without the code of the page the form sends what a mail program sends', () => {
  open();
  const form = document.querySelector('form');
  expect(form?.method).toBe('post');
  expect(form?.getAttribute('action')).toBeNull();
  expect([...new FormData(form ?? undefined)]).toEqual([['List-Unsubscribe', 'One-Click']]);
});

test('only what can be a secret is taken for one', () => {
  expect(tokenIn('')).toBeUndefined();
  expect(tokenIn(`?a=1&t=${TOKEN}`)).toBe(TOKEN);
  expect(tokenIn(`?t=${TOKEN}x`)).toBe('');
  expect(tokenIn('?t=')).toBe('');
});
