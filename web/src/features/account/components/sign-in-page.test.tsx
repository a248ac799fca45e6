/** Every way to sign in, with an identity service and a browser that a test plays. */
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useLocation } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { IdentityServer, refusedWith } from '@/testing/identity-server';
import { renderApp } from '@/testing/render-app';
import { SignInPage } from './sign-in-page';
// Loaded with the tests, so that none of them waits for it.
import './phone-step';
import '../webauthn';

const identity = vi.hoisted(() => ({
  signInWithPassword: vi.fn(),
  signInWithOtp: vi.fn(),
  verifyOtp: vi.fn(),
  setSession: vi.fn(),
  getSession: vi.fn(),
  getUser: vi.fn(),
  mfa: {
    getAuthenticatorAssuranceLevel: vi.fn(),
    challenge: vi.fn(),
    verify: vi.fn(),
    challengeAndVerify: vi.fn(),
  },
}));
const auth = vi.hoisted(() => ({ status: 'signed-out', signedOut: 0 }));

vi.mock('@/lib/auth', () => ({
  authClient: async () => identity,
  accessToken: async () => (auth.status === 'signed-in' ? 'token' : null),
  useAuth: () => ({ status: auth.status, user: undefined }),
  signOut: () => {
    auth.signedOut += 1;
  },
}));

const EMAIL = 'asha@example.org';
const SESSION = { access_token: 'a', refresh_token: 'r', user: { id: 'u1' } };
const SIGNED_IN = { data: { user: { id: 'u1' }, session: SESSION }, error: null };
const APP = { id: 'f1', factor_type: 'totp', status: 'verified', friendly_name: 'My app' };
const RECOVERY_CODE = 'wmwm-wmwm-wmwm-wmwm-wmwm-wmwm';
const MEMBERSHIPS = 'POST booking.v1.OrganisationService/ListMyMemberships';

let server: IdentityServer;

/** What the account has, and what its session has proved. */
function account(currentLevel: string, nextLevel: string, user: object = {}) {
  const levels = { currentLevel, nextLevel, currentAuthenticationMethods: [] };
  identity.mfa.getAuthenticatorAssuranceLevel.mockResolvedValue({ data: levels, error: null });
  const whole = { id: 'u1', factors: [], app_metadata: {}, ...user };
  identity.getSession.mockResolvedValue({ data: { session: { ...SESSION, user: whole } } });
  identity.getUser.mockResolvedValue({ data: { user: whole }, error: null });
}

beforeEach(() => {
  for (const call of [...Object.values(identity), ...Object.values(identity.mfa)]) {
    if (typeof call === 'function') call.mockReset();
  }
  auth.status = 'signed-out';
  auth.signedOut = 0;
  server = new IdentityServer().start();
  server.on('GET settings', { body: { external: { email: true, google: true, apple: false } } });
  server.on(MEMBERSHIPS, { body: {} });
  server.on('GET passkeys', { body: [] });
  account('aal1', 'aal1');
});

afterEach(() => {
  vi.unstubAllGlobals();
  window.history.replaceState(null, '', '/');
});

/** A browser that has passkeys, and answers with one. */
function browserWithPasskeys(get: () => Promise<unknown>) {
  vi.stubGlobal('PublicKeyCredential', class {});
  const credentials = { get: vi.fn(get), create: vi.fn() };
  Object.defineProperty(navigator, 'credentials', { value: credentials, configurable: true });
  return credentials;
}

const CREDENTIAL = { id: 'cred', toJSON: () => ({ id: 'cred', type: 'public-key' }) };

function Where() {
  const { pathname, search } = useLocation();
  return <p data-testid="where">{`${pathname}${search}`}</p>;
}

function open(path = '/sign-in?return=%2Fservices') {
  renderApp(
    <>
      <SignInPage />
      <Where />
    </>,
    { path },
  );
  return userEvent.setup();
}

async function arrived(path = '/services') {
  await waitFor(() => expect(screen.getByTestId('where').textContent).toBe(path));
}

type Person = ReturnType<typeof userEvent.setup>;

async function signIn(person: Person) {
  await person.type(screen.getByLabelText('Email'), EMAIL);
  await person.type(screen.getByLabelText('Password'), 'a quiet river');
  await person.click(screen.getByRole('button', { name: 'Sign In' }));
}

test('the fields are filled in by the browser, and may be pasted into', async () => {
  const person = open();
  const email = screen.getByLabelText<HTMLInputElement>('Email');
  expect(email.autocomplete).toBe('username webauthn');
  expect(screen.getByLabelText<HTMLInputElement>('Password').autocomplete).toBe('current-password');
  await person.click(email);
  await person.paste(EMAIL);
  expect(email.value).toBe(EMAIL);
});

test('a code by mail signs in, and says not whether there is an account', async () => {
  identity.signInWithOtp.mockResolvedValueOnce({
    data: {},
    error: { code: 'otp_disabled', status: 422, message: 'Signups not allowed for otp' },
  });
  identity.verifyOtp.mockResolvedValue(SIGNED_IN);
  const person = open();
  await person.click(screen.getByRole('button', { name: 'Email me a code' }));
  await screen.findByRole('link', { name: 'Email is required' });
  expect(screen.queryByText('Password is required')).toBeNull();
  await person.type(screen.getByLabelText('Email'), EMAIL);
  await person.click(screen.getByRole('button', { name: 'Email me a code' }));
  const code = await screen.findByLabelText<HTMLInputElement>('Code from our mail');
  await expectAccessible();
  expect(screen.getByText(/If there is an account with/)).toBeTruthy();
  expect(code.autocomplete).toBe('one-time-code');
  expect(identity.signInWithOtp).toHaveBeenCalledWith({
    email: EMAIL,
    options: {
      shouldCreateUser: false,
      emailRedirectTo: `${window.location.origin}/sign-in?return=%2Fservices`,
    },
  });
  await person.click(code);
  await person.paste('123 456');
  await person.click(screen.getByRole('button', { name: 'Confirm' }));
  await arrived();
  const shown = { email: EMAIL, token: '123456', type: 'email' };
  expect(identity.verifyOtp).toHaveBeenCalledWith(shown);
});

test('a code that is wrong or old says so, and what was typed stays', async () => {
  identity.signInWithOtp.mockResolvedValue({ data: {}, error: null });
  identity.verifyOtp.mockResolvedValue({
    data: {},
    error: { code: 'otp_expired', status: 403, message: 'Token has expired or is invalid' },
  });
  const person = open();
  await person.type(screen.getByLabelText('Email'), EMAIL);
  await person.click(screen.getByRole('button', { name: 'Email me a code' }));
  const code = await screen.findByLabelText('Code from our mail');
  await person.type(code, '999999');
  await person.click(screen.getByRole('button', { name: 'Confirm' }));
  await screen.findByRole('link', { name: /wrong or has expired/ });
  await expectAccessible();
  expect(code).toHaveProperty('value', '999999');
  await person.click(screen.getByRole('button', { name: 'Back' }));
  await screen.findByRole('heading', { name: 'Sign In' });
});

test('too many attempts wait for as long as the service says', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  identity.signInWithPassword.mockResolvedValue({
    data: {},
    error: {
      code: 'over_request_rate_limit',
      status: 429,
      message: 'You can only request this after 42 seconds.',
    },
  });
  const person = open();
  await signIn(person);
  const button = await screen.findByRole('button', { name: 'Try again in 42 s' });
  expect(button).toHaveProperty('disabled', true);
  expect(screen.getByText('Please try again in 42 seconds.')).toBeTruthy();
  await expectAccessible();
  act(() => void vi.advanceTimersByTime(43_000));
  expect(screen.getByRole('button', { name: 'Sign In' })).toHaveProperty('disabled', false);
  vi.useRealTimers();
});

test('without a connection the page says so', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  identity.signInWithPassword.mockRejectedValue(new TypeError('Failed to fetch'));
  const person = open();
  await signIn(person);
  expect(await screen.findByText('You are offline')).toBeTruthy();
  await expectAccessible();
});

test('only services that the settings switch on are offered, by a way that is ours', async () => {
  const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  const person = open();
  const google = await screen.findByRole('button', { name: 'Continue with Google' });
  expect(screen.queryByRole('button', { name: /Apple|Microsoft/ })).toBeNull();
  await person.click(google);
  await waitFor(() => expect(assign).toHaveBeenCalledOnce());
  const asked = new URL(String(assign.mock.calls[0]?.[0]));
  expect(asked.pathname).toBe('/auth/v1/authorize');
  expect(Object.fromEntries(asked.searchParams)).toMatchObject({
    provider: 'google',
    redirect_to: `${window.location.origin}/sign-in?return=%2Fservices`,
    code_challenge_method: 's256',
  });
  expect(asked.searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/);
});

/** The address with which another service leads back. */
function comeBack() {
  window.history.replaceState(null, '', '/sign-in?return=%2Fservices&code=c-1');
}

test('the code of the way back signs in, and leaves the address', async () => {
  sessionStorage.setItem('providerVerifier', 'v'.repeat(43));
  comeBack();
  server.on('POST token', { body: SESSION });
  identity.setSession.mockResolvedValue(SIGNED_IN);
  open();
  await arrived();
  const shown = { auth_code: 'c-1', code_verifier: 'v'.repeat(43) };
  expect(server.bodiesOf('POST token')).toEqual([shown]);
  expect(window.location.search).toBe('?return=%2Fservices');
  expect(sessionStorage.getItem('providerVerifier')).toBeNull();
});

test('a code that this tab did not ask for opens no session', async () => {
  comeBack();
  open();
  await screen.findByText(/began in another tab/);
  expect(server.bodiesOf('POST token')).toEqual([]);
});

test('another service that refused is told apart from an old link', () => {
  window.location.hash = '#error=server_error&error_code=bad_oauth_callback';
  open();
  expect(screen.getByText('You are not signed in')).toBeTruthy();
});

test('a browser without passkeys is offered none', async () => {
  open();
  await screen.findByRole('button', { name: 'Continue with Google' });
  expect(screen.queryByRole('button', { name: 'Use a passkey' })).toBeNull();
});

test('a passkey signs in, after one that was put away', async () => {
  const gone = new DOMException('closed', 'NotAllowedError');
  const credentials = browserWithPasskeys(async () => CREDENTIAL);
  credentials.get.mockRejectedValueOnce(gone);
  const options = { challenge: 'AQID', rpId: 'localhost', allowCredentials: [] };
  server.on('POST passkeys/authentication/options', { body: { challenge_id: 'c1', options } });
  server.on('POST passkeys/authentication', { body: SESSION });
  identity.setSession.mockResolvedValue(SIGNED_IN);
  account('aal2', 'aal2');
  const person = open();
  await person.click(await screen.findByRole('button', { name: 'Use a passkey' }));
  await screen.findByText('No passkey was used');
  await expectAccessible();
  await person.click(screen.getByRole('button', { name: 'Use a passkey' }));
  await arrived();
  expect(server.bodiesOf('POST passkeys/authentication')).toEqual([
    { challenge_id: 'c1', credential: { id: 'cred', type: 'public-key' } },
  ]);
  expect(identity.setSession).toHaveBeenCalledWith({ access_token: 'a', refresh_token: 'r' });
});

test('an account with an app asks for its code before it goes on', async () => {
  account('aal1', 'aal2', { factors: [APP] });
  identity.signInWithPassword.mockResolvedValue(SIGNED_IN);
  identity.mfa.challengeAndVerify.mockResolvedValueOnce({
    data: null,
    error: { code: 'mfa_verification_failed', status: 422, message: 'Invalid TOTP code entered' },
  });
  identity.mfa.challengeAndVerify.mockResolvedValueOnce({ data: SESSION, error: null });
  const person = open();
  await signIn(person);
  await screen.findByRole('heading', { level: 1, name: 'One More Step' });
  const code = screen.getByLabelText('6-digit code');
  expect(document.activeElement).toBe(code);
  await expectAccessible();
  await person.type(code, '111111');
  await person.click(screen.getByRole('button', { name: 'Confirm' }));
  await screen.findByRole('link', { name: /That code is not right/ });
  await person.clear(code);
  await person.type(code, '222 222');
  await person.click(screen.getByRole('button', { name: 'Confirm' }));
  await arrived();
  const last = { factorId: 'f1', code: '222222' };
  expect(identity.mfa.challengeAndVerify).toHaveBeenLastCalledWith(last);
});

test('an account with a phone has a code sent and takes it', async () => {
  const phone = { id: 'f3', factor_type: 'phone', status: 'verified', phone: '919876543210' };
  account('aal1', 'aal2', { factors: [phone] });
  auth.status = 'signed-in';
  const { challenge, verify } = identity.mfa;
  challenge.mockResolvedValueOnce({
    data: null,
    error: { code: 'over_sms_send_rate_limit', status: 429, message: 'after 1 seconds.' },
  });
  challenge.mockResolvedValueOnce({ data: { id: 'c1', type: 'phone' }, error: null });
  verify.mockResolvedValueOnce({
    data: null,
    error: { code: 'mfa_verification_failed', status: 422, message: 'Invalid MFA Phone code' },
  });
  verify.mockResolvedValueOnce({ data: SESSION, error: null });
  const person = open();
  const send = await screen.findByRole('button', { name: 'Send a code to …3210' });
  // No code goes out before the person wants one.
  expect(challenge).not.toHaveBeenCalled();
  expect(screen.queryByLabelText('6-digit code')).toBeNull();
  await person.click(send);
  await screen.findByText(/Please try again in 1 seconds/);
  await person.click(await screen.findByRole('button', { name: 'Send a code to …3210' }));
  const code = await screen.findByLabelText('6-digit code');
  expect(challenge).toHaveBeenLastCalledWith({ factorId: 'f3', channel: 'sms' });
  await person.type(code, '11');
  await person.click(screen.getByRole('button', { name: 'Confirm' }));
  await screen.findByRole('link', { name: /Enter the 6 digits of the message/ });
  await person.clear(code);
  await person.type(code, '111111');
  await person.click(screen.getByRole('button', { name: 'Confirm' }));
  await screen.findByRole('link', { name: /let us send a new one/ });
  const again = screen.getByRole('button', { name: /^Send a new code to …3210 in \d+ s$/ });
  expect((again as HTMLButtonElement).disabled).toBe(true);
  await person.clear(code);
  await person.type(code, '222 222');
  await person.click(screen.getByRole('button', { name: 'Confirm' }));
  await arrived();
  const answer = { factorId: 'f3', challengeId: 'c1', code: '222222' };
  expect(verify).toHaveBeenLastCalledWith(answer);
});

test('a lost app is replaced by a recovery code, which works once', async () => {
  account('aal1', 'aal2', { factors: [APP] });
  auth.status = 'signed-in';
  let attempts = 0;
  server.on('POST factors/recovery-codes/verify', () => {
    attempts += 1;
    return attempts === 1 ? refusedWith(422, 'mfa_verification_failed') : { body: SESSION };
  });
  identity.setSession.mockResolvedValue(SIGNED_IN);
  const person = open();
  await person.click(await screen.findByRole('button', { name: 'Use a recovery code' }));
  const code = screen.getByLabelText('Recovery code');
  expect(document.activeElement).toBe(code);
  // Wider than a phone: it is written on more than one line, and Enter sends it.
  expect(code.tagName).toBe('TEXTAREA');
  await person.type(code, ` ${RECOVERY_CODE} {Enter}`);
  await screen.findByRole('link', { name: /wrong or was used already/ });
  await expectAccessible();
  await person.click(screen.getByRole('button', { name: 'Confirm' }));
  await arrived();
  const sent = { code: RECOVERY_CODE };
  expect(server.bodiesOf('POST factors/recovery-codes/verify')).toEqual([sent, sent]);
});

test('a passkey of another account is no second step', async () => {
  account('aal1', 'aal2', { factors: [APP] });
  auth.status = 'signed-in';
  browserWithPasskeys(async () => CREDENTIAL);
  const options = { challenge: 'AQID' };
  server.on('POST passkeys/authentication/options', { body: { challenge_id: 'c1', options } });
  server.on('POST passkeys/authentication', { body: { ...SESSION, user: { id: 'u2' } } });
  const person = open();
  // The form before it has such a button, too.
  await screen.findByRole('heading', { level: 1, name: 'One More Step' });
  await person.click(screen.getByRole('button', { name: 'Use a passkey' }));
  await person.click(await screen.findByRole('button', { name: 'Use my passkey' }));
  await screen.findByText('That passkey is of another account');
  expect(identity.setSession).not.toHaveBeenCalled();
  expect(auth.signedOut).toBe(1);
});

test('the second step can be left for another account', async () => {
  account('aal1', 'aal2', { factors: [APP] });
  auth.status = 'signed-in';
  const person = open();
  const leave = await screen.findByRole('button', { name: 'Sign in with another account' });
  auth.status = 'signed-out';
  await person.click(leave);
  expect(auth.signedOut).toBe(1);
  await screen.findByRole('heading', { level: 1, name: 'Sign In' });
});

test('staff without a second step are led to one, and may put it off for a while', async () => {
  const soon = new Date(Date.now() + 5 * 86_400_000).toISOString();
  account('aal1', 'aal1');
  auth.status = 'signed-in';
  const membership = { practiceName: 'Sukoon', secondFactorBy: soon };
  server.on(MEMBERSHIPS, { body: { memberships: [membership] } });
  const person = open();
  await screen.findByRole('heading', { level: 1, name: 'Set Up a Second Step' });
  expect(screen.getByText(/5 days left/)).toBeTruthy();
  await expectAccessible();
  const now = screen.getByRole('link', { name: 'Set it up now' });
  expect(now.getAttribute('href')).toBe('/account?return=%2Fservices#second-step');
  await person.click(screen.getByRole('button', { name: 'Later' }));
  await arrived();
});

test('when the time is over it cannot be put off', async () => {
  account('aal1', 'aal1');
  auth.status = 'signed-in';
  const membership = { practiceName: 'Sukoon', secondFactorBy: '2026-01-01T00:00:00Z' };
  server.on(MEMBERSHIPS, { body: { memberships: [membership] } });
  open();
  await screen.findByText(/cannot be done without it/);
  expect(screen.queryByRole('button', { name: 'Later' })).toBeNull();
});

test('a call about staff that fails keeps no client from going on', async () => {
  server.on(MEMBERSHIPS, { status: 503, body: {} });
  auth.status = 'signed-in';
  open();
  await arrived();
});

test('who comes from a booking reads which one it is', () => {
  const back = encodeURIComponent(`/receipt?b=bkg_${'0'.repeat(24)}3f9a11c2`);
  open(`/sign-in?return=${back}`);
  expect(screen.getByText('To see your booking 3F9A11C2.')).toBeTruthy();
});
