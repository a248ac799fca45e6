/** The account pages, with an identity service that a test plays. */
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useLocation } from 'react-router';
import { beforeEach, expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { renderApp } from '@/testing/render-app';
import { RecoverPage } from './recover-page';
import { SignInPage } from './sign-in-page';
import { SignUpPage } from './sign-up-page';

const identity = vi.hoisted(() => ({
  signUp: vi.fn(),
  signInWithPassword: vi.fn(),
  verifyOtp: vi.fn(),
  resend: vi.fn(),
  resetPasswordForEmail: vi.fn(),
  updateUser: vi.fn(),
}));

const auth = vi.hoisted(() => ({ status: 'signed-out' }));

vi.mock('@/lib/auth', () => ({
  authClient: async () => identity,
  useAuth: () => ({ status: auth.status, user: undefined }),
}));

const SESSION = { data: { user: { id: 'u1' }, session: { access_token: 't' } }, error: null };

beforeEach(() => {
  for (const call of Object.values(identity)) call.mockReset();
  auth.status = 'signed-out';
});

function Where() {
  const { pathname, search } = useLocation();
  return <p data-testid="where">{`${pathname}${search}`}</p>;
}

function open(page: React.ReactNode, path: string) {
  renderApp(
    <>
      {page}
      <Where />
    </>,
    { path },
  );
  return userEvent.setup();
}

async function arrived(path: string) {
  await waitFor(() => expect(screen.getByTestId('where').textContent).toBe(path));
}

async function fillSignUp(person: ReturnType<typeof userEvent.setup>) {
  await person.type(screen.getByLabelText('First name'), 'Asha');
  await person.type(screen.getByLabelText('Last name'), 'Rao');
  await person.type(screen.getByLabelText('Email'), 'asha@example.org');
  await person.type(screen.getByLabelText('Password'), 'a quiet river');
  await person.click(screen.getByRole('button', { name: 'Create Account' }));
}

test('the terms are opened beside the form, which nothing leaves', async () => {
  open(<SignUpPage />, '/sign-up');
  for (const [name, href] of [
    [/^Terms/, '/terms'],
    [/^Privacy Policy/, '/privacy'],
  ] as const) {
    const link = screen.getByRole('link', { name });
    expect(link.getAttribute('href')).toBe(href);
    expect(link.getAttribute('target')).toBe('_blank');
  }
});

test('sign-up hands names over and returns to where the person came from', async () => {
  identity.signUp.mockResolvedValue(SESSION);
  const person = open(<SignUpPage />, '/sign-up?return=%2Fservices');
  await fillSignUp(person);
  await arrived('/services');
  expect(identity.signUp).toHaveBeenCalledWith({
    email: 'asha@example.org',
    password: 'a quiet river',
    options: {
      data: { firstName: 'Asha', lastName: 'Rao', phone: '' },
      emailRedirectTo: `${window.location.origin}/sign-in?return=%2Fservices`,
    },
  });
});

test('with confirmation on, the code is typed on the same page', async () => {
  identity.signUp.mockResolvedValue({ data: { user: { id: 'u1' }, session: null }, error: null });
  identity.verifyOtp.mockResolvedValueOnce({
    data: {},
    error: { code: 'otp_expired', message: 'Token has expired or is invalid' },
  });
  identity.verifyOtp.mockResolvedValueOnce(SESSION);
  const person = open(<SignUpPage />, '/sign-up?return=%2Ffaq');
  await fillSignUp(person);
  const code = await screen.findByLabelText('Code from our mail');
  expect(code.getAttribute('autocomplete')).toBe('one-time-code');
  await expectAccessible();
  expect(screen.getByRole('button', { name: /Send a new code in/ })).toHaveProperty(
    'disabled',
    true,
  );

  await person.type(code, '999 999');
  await person.click(screen.getByRole('button', { name: 'Confirm' }));
  await screen.findByRole('link', { name: /wrong or has expired/ });
  expect(code).toHaveProperty('value', '999 999');
  await person.clear(code);
  await person.type(code, '123456');
  await person.click(screen.getByRole('button', { name: 'Confirm' }));
  await arrived('/faq');
  expect(identity.verifyOtp).toHaveBeenLastCalledWith({
    email: 'asha@example.org',
    token: '123456',
    type: 'signup',
  });
  expect(sessionStorage.getItem('addressToConfirm')).toBeNull();
});

test('an account that exists leads to sign-in, and nothing typed is lost', async () => {
  identity.signUp.mockResolvedValue({ data: {}, error: { code: 'user_already_exists' } });
  const person = open(<SignUpPage />, '/sign-up?return=%2Ffaq');
  await fillSignUp(person);
  await screen.findByText('You already have an account');
  expect(screen.getByLabelText('First name')).toHaveProperty('value', 'Asha');
  const link = screen.getByRole('link', { name: 'Sign In' });
  expect(link.getAttribute('href')).toBe('/sign-in?return=%2Ffaq');
});

test('a wrong password has its message and the focus, and is not cleared', async () => {
  identity.signInWithPassword.mockResolvedValue({
    data: {},
    error: { code: 'invalid_credentials', message: 'Invalid login credentials' },
  });
  const person = open(<SignInPage />, '/sign-in');
  await person.type(screen.getByLabelText('Email'), 'asha@example.org');
  await person.type(screen.getByLabelText('Password'), 'wrong password');
  await person.click(screen.getByRole('button', { name: 'Sign In' }));
  const words = await screen.findByText(/Email or password is not right/);
  await expectAccessible();
  expect(document.activeElement?.contains(words)).toBe(true);
  expect(screen.getByLabelText('Password')).toHaveProperty('value', 'wrong password');
});

test('a sign-in that has to wait leads to a code by mail', async () => {
  identity.signInWithPassword.mockResolvedValue({
    data: {},
    error: { code: 'over_request_rate_limit', message: 'Request rate limit reached', status: 429 },
  });
  const person = open(<SignInPage />, '/sign-in?return=%2Ffaq');
  await person.type(screen.getByLabelText('Email'), 'asha@example.org');
  await person.type(screen.getByLabelText('Password'), 'quiet river stones');
  await person.click(screen.getByRole('button', { name: 'Sign In' }));
  await screen.findByText(/Please try again/);
  const link = screen.getByRole('link', { name: 'Use a code by mail' });
  expect(link.getAttribute('href')).toBe('/recover?return=%2Ffaq');
});

test('a password can be shown', async () => {
  const person = open(<SignInPage />, '/sign-in');
  const field = screen.getByLabelText('Password');
  expect(field).toHaveProperty('type', 'password');
  await person.click(screen.getByRole('button', { name: 'Show password' }));
  expect(field).toHaveProperty('type', 'text');
});

test('a password can be pasted and is known to password managers', async () => {
  const forms = [
    [<SignInPage key="in" />, '/sign-in', 'current-password'],
    [<SignUpPage key="up" />, '/sign-up', 'new-password'],
  ] as const;
  for (const [page, path, kind] of forms) {
    const person = open(page, path);
    const field = screen.getAllByLabelText('Password').at(-1) as HTMLInputElement;
    expect(field.autocomplete).toBe(kind);
    await person.click(field);
    await person.paste('a quiet river, kept elsewhere');
    expect(field.value).toBe('a quiet river, kept elsewhere');
  }
});

test('a signed-in person is led on at once', async () => {
  auth.status = 'signed-in';
  open(<SignInPage />, '/sign-in?return=%2Freviews');
  await arrived('/reviews');
});

test.each([
  ['/sign-in', <SignInPage key="in" />],
  ['/recover', <RecoverPage key="new" />],
])('an error that a link has left in the address of %s is told in words', async (path, page) => {
  window.location.hash = '#error=access_denied&error_code=otp_expired&error_description=Expired';
  open(<main>{page}</main>, path);
  expect(screen.getByText('That link did not work')).toBeTruthy();
  expect(document.body.textContent).not.toContain('otp_expired');
  await expectAccessible();
  window.history.replaceState(null, '', '/');
});

test('recovery goes by address, code and new password', async () => {
  identity.resetPasswordForEmail.mockResolvedValue({ data: {}, error: null });
  identity.verifyOtp.mockImplementation(async () => {
    auth.status = 'signed-in';
    return SESSION;
  });
  identity.updateUser.mockResolvedValueOnce({
    data: {},
    error: { code: 'weak_password', reasons: ['pwned'], message: 'x' },
  });
  identity.updateUser.mockResolvedValueOnce({ data: { user: {} }, error: null });
  const person = open(<RecoverPage />, '/recover?return=%2Fservices');
  await expectAccessible();
  await person.type(screen.getByLabelText('Email'), 'asha@example.org');
  await person.click(screen.getByRole('button', { name: 'Send me a code' }));
  await person.type(await screen.findByLabelText('Code from our mail'), '123456');
  await expectAccessible();
  await person.click(screen.getByRole('button', { name: 'Confirm' }));
  const password = await screen.findByLabelText('New password');
  await expectAccessible();
  await person.type(password, 'password123');
  await person.click(screen.getByRole('button', { name: 'Save New Password' }));
  await screen.findByRole('link', { name: /too easy to guess/ });
  await person.type(password, ' and more');
  await person.click(screen.getByRole('button', { name: 'Save New Password' }));
  await arrived('/services');
});
