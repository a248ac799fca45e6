/** The apps, passkeys and recovery codes of /account; the service and the browser are played. */
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { expectAccessible } from '@/testing/accessible';
import { type IdentityServer, refusedWith } from '@/testing/identity-server';
import { APP, hasLevel, identity, isUser, OK, PHONE, startAccount } from '@/testing/played-account';
import { renderApp } from '@/testing/render-app';
import { AccountPage } from './account-page';
import { inGroups, pictureAddress } from './app-enrolment';
import { freeName } from './apps-section';
// Loaded with the tests, so that none of them waits for it.
import '../webauthn';

const saved = vi.hoisted(() => vi.fn());

vi.mock('@/lib/save-file', () => ({ saveFile: saved }));
vi.mock('@/lib/auth', async () => (await import('@/testing/played-account')).playedAuth());

let server: IdentityServer;

beforeEach(() => {
  saved.mockReset();
  server = startAccount();
});

afterEach(() => vi.unstubAllGlobals());

function open() {
  renderApp(
    <main>
      <AccountPage />
      <Toaster />
    </main>,
    { path: '/account' },
  );
  return userEvent.setup();
}

function part(name: string) {
  return within(screen.getByRole('region', { name }));
}

async function toasted(title: string) {
  await within(screen.getByTestId('toasts')).findByText(title);
}

const ENROLLED = {
  data: {
    id: 'f2',
    type: 'totp',
    totp: {
      qr_code: 'data:image/svg+xml;utf-8,<svg fill="#000"/>',
      secret: 'ABCDEFGHIJ',
      uri: 'otpauth://totp/x',
    },
  },
  error: null,
};

test('an app is added with its picture, its key and a first code', async () => {
  const { mfa } = identity;
  mfa.listFactors.mockResolvedValue({ data: { all: [] }, error: null });
  mfa.enroll.mockResolvedValue(ENROLLED);
  mfa.challengeAndVerify.mockResolvedValueOnce({
    data: null,
    error: { code: 'mfa_verification_failed', status: 422, message: 'x' },
  });
  mfa.challengeAndVerify.mockImplementationOnce(async () => {
    isUser({ factors: [{ ...APP, id: 'f2', friendly_name: 'Authenticator app' }] });
    return OK;
  });
  const person = open();
  const apps = part('Authenticator app');
  await person.click(await apps.findByRole('button', { name: 'Add an app' }));
  await person.click(await apps.findByRole('button', { name: 'Continue' }));
  const picture = await apps.findByRole('img');
  expect(picture.getAttribute('src')).toBe(pictureAddress(ENROLLED.data.totp.qr_code));
  expect(picture.getAttribute('src')).not.toContain('#');
  expect(apps.getByText('ABCD EFGH IJ')).toBeTruthy();
  expect(apps.getByRole('link', { name: 'Open in the app' })).toBeTruthy();
  const code = apps.getByLabelText('6-digit code of the app');
  await expectAccessible();
  await person.type(code, '111111');
  await person.click(apps.getByRole('button', { name: 'Finish' }));
  await apps.findByRole('link', { name: /That code is not right/ });
  await person.clear(code);
  await person.type(code, '222222');
  await person.click(apps.getByRole('button', { name: 'Finish' }));
  await toasted('App added');
  expect(await apps.findByText('Authenticator app', { selector: 'li p' })).toBeTruthy();
  expect(mfa.enroll.mock.calls[0]?.[0]).toMatchObject({ friendlyName: 'Authenticator app' });
});

test('an app that was begun and left is taken back', async () => {
  const { mfa } = identity;
  const begun = { ...APP, id: 'f0', status: 'unverified' };
  mfa.listFactors.mockResolvedValue({ data: { all: [begun, APP] }, error: null });
  mfa.unenroll.mockResolvedValue(OK);
  mfa.enroll.mockResolvedValue(ENROLLED);
  const person = open();
  const apps = part('Authenticator app');
  await person.click(await apps.findByRole('button', { name: 'Add an app' }));
  await person.click(await apps.findByRole('button', { name: 'Continue' }));
  await apps.findByRole('img');
  await person.click(apps.getByRole('button', { name: 'Cancel' }));
  await waitFor(() =>
    expect(mfa.unenroll.mock.calls).toEqual([[{ factorId: 'f0' }], [{ factorId: 'f2' }]]),
  );
});

test('an app is removed only after a question', async () => {
  isUser({ factors: [APP] });
  hasLevel('aal2');
  identity.mfa.unenroll.mockImplementation(async () => {
    isUser({});
    return OK;
  });
  identity.refreshSession.mockResolvedValue(OK);
  const person = open();
  const apps = part('Authenticator app');
  await person.click(await apps.findByRole('button', { name: 'Remove My app' }));
  await person.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Keep it' }));
  expect(identity.mfa.unenroll).not.toHaveBeenCalled();
  await person.click(apps.getByRole('button', { name: 'Remove My app' }));
  await person.click(screen.getByRole('button', { name: 'Yes, remove it' }));
  await toasted('App removed');
  await apps.findByText('You have not set one up.');
});

test('a phone is in the list by the end of its number, and is removed', async () => {
  isUser({ factors: [APP, PHONE] });
  hasLevel('aal2');
  identity.mfa.unenroll.mockImplementation(async () => {
    isUser({ factors: [APP] });
    return OK;
  });
  identity.refreshSession.mockResolvedValue(OK);
  const person = open();
  const factors = part('Authenticator app');
  const note = await factors.findByText(/Codes by SMS to …3210\./);
  expect(note.textContent).not.toContain('919876543210');
  await person.click(factors.getByRole('button', { name: 'Remove Phone' }));
  await person.click(screen.getByRole('button', { name: 'Yes, remove it' }));
  await toasted('Phone removed');
  expect(identity.mfa.unenroll).toHaveBeenCalledWith({ factorId: PHONE.id });
  await waitFor(() => expect(factors.queryByText(/Codes by SMS/)).toBeNull());
  expect(factors.getByText('My app', { selector: 'li p' })).toBeTruthy();
});

const PASSKEY = {
  id: 'p 1',
  friendly_name: 'iPhone',
  created_at: '2026-11-20T05:30:00Z',
  last_used_at: null,
};

test('a passkey is added, renamed and removed', async () => {
  const create = vi.fn(async () => ({ id: 'c', toJSON: () => ({ id: 'c' }) }) as unknown);
  create.mockRejectedValueOnce(new DOMException('again', 'InvalidStateError'));
  vi.stubGlobal('PublicKeyCredential', class {});
  const credentials = { create, get: vi.fn() };
  Object.defineProperty(navigator, 'credentials', { value: credentials, configurable: true });
  const user = { id: 'AQ', name: 'a', displayName: 'A' };
  const options = { challenge: 'AQID', rp: { name: 'x' }, user, pubKeyCredParams: [] };
  server.on('POST passkeys/registration/options', { body: { challenge_id: 'c1', options } });
  server.on('POST passkeys/registration', () => {
    server.on('GET passkeys', { body: [PASSKEY] });
    return { body: PASSKEY };
  });
  const person = open();
  const passkeys = part('Passkeys');
  await passkeys.findByText('You have none yet.');
  await person.click(passkeys.getByRole('button', { name: 'Add a passkey' }));
  const name = passkeys.getByLabelText('Name of the passkey');
  await expectAccessible();
  await person.clear(name);
  await person.type(name, 'iPhone');
  await person.click(passkeys.getByRole('button', { name: 'Continue' }));
  await passkeys.findByText('This device has a passkey already');
  await person.click(passkeys.getByRole('button', { name: 'Continue' }));
  await toasted('Passkey added');
  expect(server.bodiesOf('POST passkeys/registration')).toEqual([
    { challenge_id: 'c1', credential: { id: 'c' }, friendly_name: 'iPhone' },
  ]);

  server.on('PATCH passkeys/p%201', () => {
    server.on('GET passkeys', { body: [{ ...PASSKEY, friendly_name: 'My phone' }] });
    return { body: {} };
  });
  await person.click(await passkeys.findByRole('button', { name: 'Rename iPhone' }));
  const rename = passkeys.getByLabelText('New name of “iPhone”');
  await person.clear(rename);
  await person.click(passkeys.getByRole('button', { name: 'Save' }));
  await passkeys.findByText('Please give it a name');
  await person.type(rename, 'My phone');
  await person.click(passkeys.getByRole('button', { name: 'Save' }));
  await toasted('Passkey renamed');
  expect(server.bodiesOf('PATCH passkeys/p%201')).toEqual([{ friendly_name: 'My phone' }]);

  let refusals = 1;
  server.on('DELETE passkeys/p%201', () => {
    if (refusals > 0) {
      refusals -= 1;
      return refusedWith(401, 'insufficient_aal');
    }
    server.on('GET passkeys', { body: [] });
    return { status: 204 };
  });
  await person.click(await passkeys.findByRole('button', { name: 'Remove My phone' }));
  const dialog = within(screen.getByRole('dialog'));
  await person.click(dialog.getByRole('button', { name: 'Yes, remove it' }));
  await dialog.findByText("Confirm it's you first");
  dialog.getByRole('button', { name: 'Use my second step' });
  await person.click(dialog.getByRole('button', { name: 'Yes, remove it' }));
  await toasted('Passkey removed');
  await passkeys.findByText('You have none yet.');
});

test('a passkey that needs a mailed code asks for it where it was refused', async () => {
  const create = vi.fn(async () => ({ id: 'c', toJSON: () => ({ id: 'c' }) }) as unknown);
  vi.stubGlobal('PublicKeyCredential', class {});
  const credentials = { create, get: vi.fn() };
  Object.defineProperty(navigator, 'credentials', { value: credentials, configurable: true });
  const user = { id: 'AQ', name: 'a', displayName: 'A' };
  const options = { challenge: 'AQID', rp: { name: 'x' }, user, pubKeyCredParams: [] };
  let proved = false;
  server.on('POST passkeys/registration/options', () =>
    proved
      ? { body: { challenge_id: 'c1', options } }
      : refusedWith(400, 'reauthentication_needed'),
  );
  server.on('POST reauthenticate', { body: {} });
  server.on('POST reauthenticate/verify', () => {
    proved = true;
    return { body: {} };
  });
  server.on('POST passkeys/registration', { body: PASSKEY });
  const person = open();
  const passkeys = part('Passkeys');
  await person.click(await passkeys.findByRole('button', { name: 'Add a passkey' }));
  await person.click(passkeys.getByRole('button', { name: 'Continue' }));
  await person.click(await passkeys.findByRole('button', { name: 'Email me a code' }));
  await person.type(await passkeys.findByLabelText('6-digit code from our mail'), '123 456');
  await expectAccessible();
  await person.click(passkeys.getByRole('button', { name: 'Confirm' }));
  await toasted('Passkey added');
  expect(server.bodiesOf('POST reauthenticate/verify')).toEqual([{ nonce: '123456' }]);
});

const CODES = ['abcd-efgh', 'ijkl-mnop'];

test('recovery codes are shown once, and can be kept as a file', async () => {
  server.on('POST factors/recovery-codes', () => {
    server.on('GET factors/recovery-codes', { body: { remaining: 2 } });
    return { body: { codes: CODES } };
  });
  const print = vi.fn();
  vi.stubGlobal('print', print);
  const person = open();
  const recovery = part('Recovery codes');
  await recovery.findByText('You have none.');
  await person.click(recovery.getByRole('button', { name: 'Make recovery codes' }));
  for (const code of CODES) await recovery.findByText(code);
  await expectAccessible();
  await person.click(recovery.getByRole('button', { name: 'Download' }));
  const [name, content] = saved.mock.calls[0] ?? [];
  expect(name).toBe('recovery-codes.txt');
  for (const code of CODES) expect(content).toContain(code);
  await person.click(recovery.getByRole('button', { name: 'Copy' }));
  expect(await navigator.clipboard.readText()).toBe(CODES.join('\n'));
  await person.click(recovery.getByRole('button', { name: 'Print' }));
  expect(print).toHaveBeenCalledOnce();
  await person.click(recovery.getByRole('button', { name: 'I have kept them' }));
  await recovery.findByText('You have 2 codes left.');
  expect(recovery.queryByText('abcd-efgh')).toBeNull();
  expect(recovery.getByText('Only a few are left')).toBeTruthy();
  const kept = JSON.stringify({ ...sessionStorage, ...localStorage });
  expect(kept).not.toContain('abcd-efgh');
});

test('new codes end the old ones, which is asked about', async () => {
  server.on('GET factors/recovery-codes', { status: 404, body: {} });
  server.on('POST factors/recovery-codes', { body: { codes: CODES } });
  const person = open();
  const recovery = part('Recovery codes');
  await recovery.findByText(/Codes that you made before end/);
  await person.click(recovery.getByRole('button', { name: 'Make new codes' }));
  expect(server.bodiesOf('POST factors/recovery-codes')).toEqual([]);
  await person.click(screen.getByRole('button', { name: 'Yes, make new ones' }));
  await recovery.findByText('abcd-efgh');
});

test('keys are read in groups, and names are not taken twice', () => {
  expect(inGroups('ABCDEFGHIJ')).toBe('ABCD EFGH IJ');
  expect(pictureAddress('<svg/>')).toBe('data:image/svg+xml;utf-8,%3Csvg%2F%3E');
  expect(pictureAddress('data:image/png;base64,AA')).toBe('data:image/png;base64,AA');
  expect(freeName([])).toBe('Authenticator app');
  expect(freeName(['Authenticator app', undefined])).toBe('Authenticator app 2');
});
