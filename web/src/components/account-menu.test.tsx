/** The menu of the avatar, for a person and a session that a test plays. */
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { renderApp } from '@/testing/render-app';
import { AccountMenu } from './account-menu';
import { Toaster } from './ui/toaster';

const ASHA = { id: 'u1', email: 'asha@example.org', firstName: 'Asha', lastName: 'Rao', phone: '' };

const auth = vi.hoisted(() => ({ signOut: vi.fn() }));
vi.mock('@/lib/auth', () => ({
  useAuth: () => ({ status: 'signed-in', user: ASHA }),
  accessToken: async () => 'token',
  signOut: auth.signOut,
}));

beforeEach(() => void auth.signOut.mockReset());

function open() {
  renderApp(
    <>
      <AccountMenu where="bar" />
      <Toaster />
    </>,
  );
  return userEvent.setup();
}

test('the avatar opens a menu that says who is signed in, and signing out closes it', async () => {
  const person = open();
  const avatar = screen.getByRole('button', { name: 'Your account, Asha Rao' });
  expect(screen.queryByRole('button', { name: 'Sign out' })).toBeNull();
  await person.click(avatar);
  expect(screen.getByText('asha@example.org')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Account settings' })).toBeTruthy();
  await expectAccessible();
  await person.click(screen.getByRole('button', { name: 'Sign out' }));
  await within(screen.getByTestId('toasts')).findByText('Signed out');
  expect(auth.signOut).toHaveBeenCalledOnce();
  expect(avatar.getAttribute('aria-expanded')).toBe('false');
});
