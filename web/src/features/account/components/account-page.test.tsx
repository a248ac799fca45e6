/** /account: each part with its own states, and an identity service that a test plays. */
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { expectAccessible } from '@/testing/accessible';
import { type IdentityServer, refusedWith } from '@/testing/identity-server';
import {
  APP,
  auth,
  hasLevel,
  identity,
  isUser,
  MEMBERSHIPS,
  OK,
  startAccount,
} from '@/testing/played-account';
import { renderApp } from '@/testing/render-app';
import { AccountPage } from './account-page';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-account')).playedAuth());

let server: IdentityServer;

beforeEach(() => {
  server = startAccount();
});

function open(path = '/account') {
  renderApp(
    <main>
      <AccountPage />
      <Toaster />
    </main>,
    { path },
  );
  return userEvent.setup();
}

function part(name: string) {
  return within(screen.getByRole('region', { name }));
}

async function toasted(title: string) {
  await within(screen.getByTestId('toasts')).findByText(title);
}

test('a visitor is asked to sign in, and comes back', () => {
  auth.signedIn = false;
  open();
  const link = screen.getByRole('link', { name: 'Sign In' });
  expect(link.getAttribute('href')).toBe('/sign-in?return=%2Faccount');
});

test('names and phone are shown and saved', async () => {
  identity.updateUser.mockResolvedValue(OK);
  const person = open();
  const first = await screen.findByLabelText<HTMLInputElement>('First name');
  expect(first.value).toBe('Asha');
  const own = part('Your sessions').getByRole('link', { name: 'See your sessions' });
  expect(own.getAttribute('href')).toBe('/account/sessions');
  await expectAccessible();
  await person.clear(first);
  await person.click(part('About you').getByRole('button', { name: 'Save' }));
  await screen.findByRole('link', { name: 'First name is required' });
  await person.type(first, 'Usha');
  await person.click(part('About you').getByRole('button', { name: 'Save' }));
  await toasted('Saved');
  expect(identity.updateUser).toHaveBeenCalledWith({
    data: { firstName: 'Usha', lastName: 'Rao', phone: '98765 43210' },
  });
});

test('a part that cannot be read says so, and the others stay', async () => {
  server.on('GET sessions', { status: 403, body: { code: 'unexpected', message: 'x' } });
  const person = open();
  const devices = part('Devices');
  await devices.findByText('Your devices could not be read');
  expect(await screen.findByLabelText('First name')).toBeTruthy();
  server.on('GET sessions', { body: { sessions: [] } });
  await person.click(devices.getByRole('button', { name: 'Try again' }));
  await devices.findByText('You are signed in nowhere else.');
});

test('a session that is over leads to signing in', async () => {
  server.on('GET passkeys', refusedWith(403, 'session_not_found'));
  const person = open();
  const passkeys = part('Passkeys');
  await person.click(await passkeys.findByRole('button', { name: 'Sign In' }));
  expect(auth.signedOut).toBe(1);
});

test('a new address is confirmed at both addresses', async () => {
  identity.updateUser.mockImplementation(async () => {
    isUser({ new_email: 'new@example.org' });
    return OK;
  });
  const person = open();
  const email = part('Email');
  await person.type(await email.findByLabelText('New email'), 'ASHA@example.org');
  await person.click(email.getByRole('button', { name: 'Change my email' }));
  await email.findByRole('link', { name: 'This is your address already' });
  await person.clear(email.getByLabelText('New email'));
  await person.type(email.getByLabelText('New email'), 'new@example.org');
  await person.click(email.getByRole('button', { name: 'Change my email' }));
  await email.findByText('The change waits for you');
  await expectAccessible();
  expect(identity.updateUser).toHaveBeenCalledWith(
    { email: 'new@example.org' },
    { emailRedirectTo: `${window.location.origin}/account` },
  );

  identity.verifyOtp.mockResolvedValueOnce({ data: { user: null, session: null }, error: null });
  await person.type(email.getByLabelText('Code from the mail to your present address'), '111111');
  await person.click(email.getByRole('button', { name: 'Confirm the present address' }));
  await email.findByText('asha@example.org is confirmed.');
  identity.verifyOtp.mockImplementation(async () => {
    isUser({ email: 'new@example.org' });
    return { data: { user: { id: 'u1' }, session: { access_token: 'a' } }, error: null };
  });
  await person.type(email.getByLabelText('Code from the mail to your new address'), '222222');
  await person.click(email.getByRole('button', { name: 'Confirm the new address' }));
  await toasted('Email changed');
  expect(identity.verifyOtp.mock.calls.map(([shown]) => shown)).toEqual([
    { email: 'asha@example.org', token: '111111', type: 'email_change' },
    { email: 'new@example.org', token: '222222', type: 'email_change' },
  ]);
  await email.findByLabelText('New email');
});

test('a password is changed with the one in use', async () => {
  identity.updateUser.mockResolvedValueOnce({
    data: {},
    error: { code: 'invalid_credentials', status: 400, message: 'Current password is not right' },
  });
  identity.updateUser.mockResolvedValueOnce(OK);
  const person = open();
  const password = part('Password');
  await person.type(password.getByLabelText('Current password'), 'an old river');
  await person.type(password.getByLabelText('New password'), 'a quiet river');
  await person.click(password.getByRole('button', { name: 'Save New Password' }));
  await password.findByRole('link', { name: 'This is not your current password' });
  await person.type(password.getByLabelText('Current password'), '!');
  await person.click(password.getByRole('button', { name: 'Save New Password' }));
  await toasted('Password saved');
  const shown = { password: 'a quiet river', current_password: 'an old river!' };
  expect(identity.updateUser).toHaveBeenLastCalledWith(shown);
  expect(password.getByLabelText('New password')).toHaveProperty('value', '');
});

test('without a password in use, a code from the mail sets one', async () => {
  identity.reauthenticate.mockResolvedValue({ data: {}, error: null });
  identity.updateUser.mockResolvedValueOnce({
    data: {},
    error: { code: 'reauthentication_not_valid', status: 422, message: 'Nonce has expired' },
  });
  identity.updateUser.mockResolvedValueOnce(OK);
  const person = open();
  const password = part('Password');
  await person.click(password.getByRole('button', { name: /email me a code/i }));
  await person.type(await password.findByLabelText('6-digit code'), '123 456');
  await person.type(password.getByLabelText('New password'), 'a quiet river');
  await person.click(password.getByRole('button', { name: 'Save New Password' }));
  await password.findByRole('link', { name: /wrong or has expired/ });
  await person.click(password.getByRole('button', { name: 'Save New Password' }));
  await toasted('Password saved');
  const shown = { password: 'a quiet river', nonce: '123456' };
  expect(identity.updateUser).toHaveBeenLastCalledWith(shown);
});

const HERE = {
  id: 's1',
  created_at: '2026-11-24T05:30:00Z',
  last_used_at: '2026-11-24T05:30:00Z',
  device: 'Chrome on Linux',
  network: '203.0.113.x',
  current: true,
};
const AWAY = { ...HERE, id: 's2', device: 'Safari on iPhone', current: false };

test('devices are listed, this one first, and are signed out', async () => {
  server.on('GET sessions', { body: { sessions: [AWAY, HERE] } });
  server.on('DELETE sessions/s2', () => {
    server.on('GET sessions', { body: { sessions: [HERE, { ...AWAY, id: 's3', device: '' }] } });
    return { status: 204 };
  });
  const person = open();
  const devices = part('Devices');
  await devices.findByText('This device');
  const [first] = devices.getAllByRole('listitem');
  expect(first?.textContent).toContain('Chrome on Linux');
  expect(first?.textContent).toContain('Network 203.0.113.x');
  expect(devices.queryByRole('button', { name: 'Sign out Chrome on Linux' })).toBeNull();
  await person.click(devices.getByRole('button', { name: 'Sign out Safari on iPhone' }));
  await person.click(screen.getByRole('button', { name: 'Yes, sign it out' }));
  await toasted('Device signed out');

  identity.signOut.mockImplementation(async () => {
    server.on('GET sessions', { body: { sessions: [HERE] } });
    return { error: null };
  });
  await devices.findByRole('button', { name: 'Sign out Unknown device' });
  await person.click(devices.getByRole('button', { name: 'Sign out all others' }));
  await expectAccessible();
  await person.click(screen.getByRole('button', { name: 'Leave them' }));
  expect(identity.signOut).not.toHaveBeenCalled();
  await person.click(devices.getByRole('button', { name: 'Sign out all others' }));
  await person.click(screen.getByRole('button', { name: 'Yes, sign them out' }));
  await toasted('All other devices are signed out');
  expect(identity.signOut).toHaveBeenCalledWith({ scope: 'others' });
  await waitFor(() =>
    expect(devices.queryByRole('button', { name: 'Sign out all others' })).toBeNull(),
  );
});

test('a session without its second step is asked for it', async () => {
  isUser({ factors: [APP] });
  hasLevel('aal1', 'aal2');
  identity.mfa.challengeAndVerify.mockImplementation(async () => {
    hasLevel('aal2');
    return OK;
  });
  const person = open();
  const ask = "Please confirm that it's you";
  await screen.findByRole('region', { name: ask });
  await expectAccessible();
  await person.type(part(ask).getByLabelText('6-digit code'), '123456');
  await person.click(part(ask).getByRole('button', { name: 'Confirm' }));
  await toasted('Thank you');
  await waitFor(() => expect(screen.queryByRole('region', { name: ask })).toBeNull());
});

test('clients see nothing of the practice', async () => {
  open();
  await screen.findByLabelText('First name');
  expect(screen.queryByText('Practice')).toBeNull();
});

test('staff without a second step are told until when it can wait', async () => {
  const secondFactorBy = new Date(Date.now() + 86_000_000).toISOString();
  server.on(MEMBERSHIPS, { body: { memberships: [{ practiceName: 'Sukoon', secondFactorBy }] } });
  open();
  await screen.findByText('Please set up a second step');
  await expectAccessible();
  expect(screen.getByText(/one day left/)).toBeTruthy();
  const link = await screen.findByRole('link', { name: 'Members and invitations' });
  expect(link.getAttribute('href')).toBe('/organisation');
});

test('a member that was led here to set a second step up goes back after it', async () => {
  const secondFactorBy = new Date(Date.now() + 86_000_000).toISOString();
  server.on(MEMBERSHIPS, { body: { memberships: [{ practiceName: 'Sukoon', secondFactorBy }] } });
  const { mfa } = identity;
  mfa.listFactors.mockResolvedValue({ data: { all: [] }, error: null });
  const totp = { qr_code: '<svg/>', secret: 'ABCD', uri: 'otpauth://totp/x' };
  mfa.enroll.mockResolvedValue({ data: { id: 'f1', type: 'totp', totp }, error: null });
  mfa.challengeAndVerify.mockImplementation(async () => {
    isUser({ factors: [APP] });
    hasLevel('aal2');
    return OK;
  });
  const person = open('/account?return=%2Forganisation#second-step');
  await screen.findByText('Please set up a second step');
  const words = { name: 'Back to where you were' };
  expect(screen.queryByRole('link', words)).toBeNull();
  const apps = part('Authenticator app');
  await person.click(await apps.findByRole('button', { name: 'Add an app' }));
  await person.click(await apps.findByRole('button', { name: 'Continue' }));
  await person.type(await apps.findByLabelText('6-digit code of the app'), '123456');
  await person.click(apps.getByRole('button', { name: 'Finish' }));
  const back = await screen.findByRole('link', words);
  expect(back.getAttribute('href')).toBe('/organisation');
  expect(document.activeElement?.contains(back)).toBe(true);
  expect(document.activeElement).not.toBe(document.body);
});

test('signing out leaves the account', async () => {
  const person = open();
  await person.click(screen.getByRole('button', { name: 'Sign out' }));
  await toasted('Signed out');
  expect(auth.signedOut).toBe(1);
});
