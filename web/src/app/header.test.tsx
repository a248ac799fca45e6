/** The bar above every page: its menus, the theme, and word of a lost connection. */
import { act, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Link, useLocation } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Header } from '@/components/header';
import { expectAccessible } from '@/testing/accessible';
import { renderApp } from '@/testing/render-app';
import { linksAt } from './site-links';

const VISITOR = { status: 'signed-out', user: undefined };
const CLIENT = {
  status: 'signed-in',
  user: { id: 'u1', email: 'asha@example.org', firstName: 'Asha', lastName: 'Verma', phone: '' },
};

const played = vi.hoisted(() => ({ auth: {} as object }));

vi.mock('@/lib/auth', () => ({
  useAuth: () => played.auth,
  accessToken: async () => 'token',
}));

beforeEach(() => {
  played.auth = VISITOR;
});

afterEach(() => {
  vi.restoreAllMocks();
});

function Where() {
  return <p data-testid="where">{useLocation().pathname}</p>;
}

function open(path = '/') {
  renderApp(
    <>
      <Header linksAt={linksAt} />
      <main>
        <Where />
        <Link to="/faq">Read on</Link>
      </main>
    </>,
    { path },
  );
  return userEvent.setup();
}

const menuButton = () => screen.getByRole('button', { name: /^(Open|Close) menu$/ });
const where = () => screen.getByTestId('where').textContent;

function menu(): HTMLElement {
  const found = document.getElementById(menuButton().getAttribute('aria-controls') ?? '');
  if (!found) throw new Error('The button controls no menu.');
  return found;
}

function expectMenu(state: 'open' | 'closed'): void {
  expect(menuButton().getAttribute('aria-expanded')).toBe(String(state === 'open'));
  expect(menu().hidden).toBe(state === 'closed');
}

test('the menu has all six pages, the theme and the ways in', async () => {
  const person = open();
  expectMenu('closed');
  await person.click(menuButton());
  expectMenu('open');
  const links = within(menu()).getAllByRole('link');
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ...[...linksAt('headerLeft'), ...linksAt('headerRight')].map(({ label, to }) => [label, to]),
    ['Sign In', '/sign-in'],
    ['Sign Up', '/sign-up'],
  ]);
  expect(within(menu()).getByRole('button', { name: 'Dark theme' })).toBeTruthy();
  await expectAccessible();
  await person.click(menuButton());
  expectMenu('closed');
});

test('for a person who is signed in, the menu leads with their sessions', async () => {
  played.auth = CLIENT;
  const person = open();
  await person.click(menuButton());
  const [first] = within(menu()).getAllByRole('link');
  expect([first?.textContent, first?.getAttribute('href')]).toEqual([
    'Your sessions',
    '/account/sessions',
  ]);
  await expectAccessible();
});

test('Escape closes the menu, and the button has the focus', async () => {
  const person = open();
  await person.click(menuButton());
  within(menu()).getByRole('link', { name: 'Contact' }).focus();
  await person.keyboard('{Escape}');
  expectMenu('closed');
  expect(document.activeElement).toBe(menuButton());
});

test('the menu closes when the focus leaves it, and at a press beside it', async () => {
  const person = open();
  await person.click(menuButton());
  act(() => screen.getByRole('link', { name: 'Read on' }).focus());
  expectMenu('closed');
  await person.click(menuButton());
  fireEvent.pointerDown(screen.getByTestId('where'));
  expectMenu('closed');
});

test('a link of the menu leads to its page and closes it', async () => {
  const person = open();
  await person.click(menuButton());
  await person.click(within(menu()).getByRole('link', { name: 'About Us' }));
  expect(where()).toBe('/about');
  expectMenu('closed');
});

test('Escape closes the menu of the avatar, which has the focus then', async () => {
  played.auth = CLIENT;
  const person = open();
  const avatar = screen.getByRole('button', { name: 'Your account, Asha Verma' });
  expect(screen.queryByRole('link', { name: 'Sign In', hidden: true })).toBeNull();
  await person.click(avatar);
  const leave = screen.getByRole('button', { name: 'Sign out' });
  const ways = within(leave.parentElement as HTMLElement).getAllByRole('link');
  expect(ways.map((link) => link.getAttribute('href'))).toEqual([
    '/account/sessions',
    '/account',
    '/consent',
  ]);
  await expectAccessible();
  leave.focus();
  await person.keyboard('{Escape}');
  expect(document.activeElement).toBe(avatar);
  expect(screen.queryByRole('button', { name: 'Sign out' })).toBeNull();
});

test('Book a session leads to the services from any page, and the name to the start', async () => {
  const person = open('/no/such/page');
  const bar = within(screen.getByRole('banner'));
  const book = bar.getByRole('link', { name: 'Book a session' });
  expect(book.getAttribute('href')).toBe('/services');
  await person.click(book);
  expect(where()).toBe('/services');
  await person.click(bar.getByRole('link', { name: 'Sukoon, to the start' }));
  expect(where()).toBe('/');
});

test('the theme is switched in the bar and in the menu alike', async () => {
  const person = open();
  const pressed = () =>
    screen
      .getAllByRole('button', { name: 'Dark theme', hidden: true })
      .map((toggle) => toggle.getAttribute('aria-pressed'));
  expect(pressed()).toEqual(['false', 'false']);
  const [inBar] = screen.getAllByRole('button', { name: 'Dark theme' });
  if (inBar) await person.click(inBar);
  expect(document.documentElement.classList.contains('dark')).toBe(true);
  expect(localStorage.getItem('theme')).toBe('dark');
  expect(pressed()).toEqual(['true', 'true']);
  await person.click(menuButton());
  await person.click(within(menu()).getByRole('button', { name: 'Dark theme' }));
  expect(document.documentElement.classList.contains('dark')).toBe(false);
  expect(pressed()).toEqual(['false', 'false']);
});

test('without a network a banner says so until it is back', async () => {
  open();
  const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  act(() => void window.dispatchEvent(new Event('offline')));
  expect(screen.getByText('You are offline.').closest('[role="status"]')).toBeTruthy();
  await expectAccessible();
  online.mockReturnValue(true);
  act(() => void window.dispatchEvent(new Event('online')));
  expect(screen.queryByText('You are offline.')).toBeNull();
});
