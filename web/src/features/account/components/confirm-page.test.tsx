/** The page that the links of mails open, and what keeps a password, with an identity service that a
 * test plays. */
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useLocation } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { renderApp } from '@/testing/render-app';
import { ConfirmPage } from './confirm-page';
import { SignInPage } from './sign-in-page';
import { SignUpPage } from './sign-up-page';

const identity = vi.hoisted(() => ({
  signUp: vi.fn(),
  signInWithPassword: vi.fn(),
  verifyOtp: vi.fn(),
  updateUser: vi.fn(),
  getSession: vi.fn(),
}));

const auth = vi.hoisted(() => ({ state: { status: 'signed-out' } as object }));

vi.mock('@/lib/auth', () => ({ authClient: async () => identity, useAuth: () => auth.state }));

const EMAIL = 'asha@example.org';
const SESSION = { data: { user: { id: 'u1' }, session: { access_token: 't' } }, error: null };
const WITHOUT_PASSWORD = {
  data: { user: { id: 'u1' }, session: { access_token: 't', password_needed: true } },
  error: null,
};
const REFUSED = {
  data: {},
  error: { code: 'otp_expired', message: 'Email link is invalid or has expired' },
};

beforeEach(() => {
  for (const call of Object.values(identity)) call.mockReset();
  auth.state = { status: 'signed-out' };
});

afterEach(() => {
  window.location.hash = '';
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

function openLink(type: string, more = '') {
  const back = encodeURIComponent(`${window.location.origin}/sign-in?return=%2Fservices`);
  window.location.hash = `#token_hash=abc&type=${type}&redirect_to=${back}${more}`;
  return open(<ConfirmPage />, '/confirm');
}

async function arrived(path: string) {
  await waitFor(() => expect(screen.getByTestId('where').textContent).toBe(path));
}

test('opening the link does nothing; the button confirms and leads back', async () => {
  identity.verifyOtp.mockResolvedValue(SESSION);
  localStorage.setItem('signUpSecret', 'made here');
  const person = openLink('signup');
  const button = await screen.findByRole('button', { name: 'Confirm my address' });
  expect(identity.verifyOtp).not.toHaveBeenCalled();
  await expectAccessible();
  await person.click(button);
  await arrived('/services');
  expect(identity.verifyOtp).toHaveBeenCalledExactlyOnceWith({
    token_hash: 'abc',
    type: 'signup',
    sign_up_secret: 'made here',
  });
  expect(localStorage.getItem('signUpSecret')).toBeNull();
});

test('an account whose sign-up is not proved gets a new password', async () => {
  identity.verifyOtp.mockResolvedValue(WITHOUT_PASSWORD);
  identity.updateUser.mockResolvedValue({ data: { user: {} }, error: null });
  const person = openLink('signup');
  await person.click(screen.getByRole('button', { name: 'Confirm my address' }));
  expect(await screen.findByRole('heading', { level: 1 })).toHaveProperty(
    'textContent',
    'Choose a Password',
  );
  expect(identity.verifyOtp).toHaveBeenCalledWith({ token_hash: 'abc', type: 'signup' });
  await expectAccessible();
  await person.type(screen.getByLabelText('New password'), 'a quiet river');
  await person.click(screen.getByRole('button', { name: 'Save New Password' }));
  await arrived('/services');
  expect(identity.updateUser).toHaveBeenCalledWith({ password: 'a quiet river' });
});

test('the link for a new password asks for it behind the button', async () => {
  identity.verifyOtp.mockResolvedValue(SESSION);
  identity.updateUser.mockResolvedValue({ data: { user: {} }, error: null });
  localStorage.setItem('signUpSecret', 'made here');
  const person = openLink('recovery');
  await person.click(screen.getByRole('button', { name: 'Continue' }));
  await person.type(await screen.findByLabelText('New password'), 'a quiet river');
  expect(identity.verifyOtp).toHaveBeenCalledWith({ token_hash: 'abc', type: 'recovery' });
  await person.click(screen.getByRole('button', { name: 'Save New Password' }));
  await arrived('/services');
});

test('a link that is used up says so and shows the way on', async () => {
  identity.verifyOtp.mockResolvedValue(REFUSED);
  const person = openLink('recovery');
  await person.click(screen.getByRole('button', { name: 'Continue' }));
  await screen.findByText('That link did not work');
  await expectAccessible();
  const link = screen.getByRole('link', { name: 'Send me a new code' });
  expect(link.getAttribute('href')).toBe('/recover?return=%2Fservices');
});

test('an address without a link says so, too', () => {
  open(<ConfirmPage />, '/confirm');
  expect(screen.getByText('That link did not work')).toBeTruthy();
  expect(identity.verifyOtp).not.toHaveBeenCalled();
});

test('a change of address is confirmed in two halves', async () => {
  identity.verifyOtp.mockResolvedValueOnce({ data: { user: null, session: null }, error: null });
  auth.state = { status: 'signed-in', user: { email: EMAIL } };
  const person = openLink('email_change', '&account=as%E2%80%A6%40example.org');
  expect(screen.getByText('as…@example.org')).toBeTruthy();
  expect(screen.getByText(EMAIL)).toBeTruthy();
  await person.click(screen.getByRole('button', { name: 'Confirm the change' }));
  await screen.findByText('This half is done');
  expect(identity.verifyOtp).toHaveBeenCalledExactlyOnceWith({
    token_hash: 'abc',
    type: 'email_change',
  });
});

test('a change that was asked for elsewhere says where to open it', async () => {
  identity.verifyOtp.mockResolvedValueOnce({
    data: {},
    error: { code: 'email_change_elsewhere', status: 403, message: 'x' },
  });
  const person = openLink('email_change', '&account=m%E2%80%A6%40example.com');
  expect(screen.getByText(/in this browser you are not signed in/)).toBeTruthy();
  await person.click(screen.getByRole('button', { name: 'Confirm the change' }));
  expect(await screen.findByText('Open this where you asked for it')).toBeTruthy();
  expect(screen.getByText(/Nothing has changed\. Open the link in the browser/)).toBeTruthy();
});

test('the second half, and a link that signs in, lead back', async () => {
  identity.verifyOtp.mockResolvedValue(SESSION);
  const person = openLink('magiclink');
  await person.click(screen.getByRole('button', { name: 'Sign me in' }));
  await arrived('/services');
  expect(identity.updateUser).not.toHaveBeenCalled();
});

test('a failure has its message, and the button can be pressed again', async () => {
  identity.verifyOtp.mockResolvedValueOnce({ data: {}, error: { status: 503, message: 'x' } });
  identity.verifyOtp.mockResolvedValueOnce(SESSION);
  const person = openLink('signup');
  await person.click(screen.getByRole('button', { name: 'Confirm my address' }));
  await screen.findByText('This part is not available right now');
  await person.click(screen.getByRole('button', { name: 'Confirm my address' }));
  await arrived('/services');
});

test('with a session the page names the account that the link may replace', () => {
  auth.state = { status: 'signed-in', user: { id: 'u2', email: 'ravi@example.org' } };
  openLink('signup');
  expect(screen.getByText('ravi@example.org')).toBeTruthy();
  expect(screen.getByTestId('where').textContent).toBe('/confirm');
});

async function fillSignUp(person: ReturnType<typeof userEvent.setup>) {
  await person.type(screen.getByLabelText('First name'), 'Asha');
  await person.type(screen.getByLabelText('Last name'), 'Rao');
  await person.type(screen.getByLabelText('Email'), EMAIL);
  await person.type(screen.getByLabelText('Password'), 'a quiet river');
  await person.click(screen.getByRole('button', { name: 'Create Account' }));
}

async function typeCode(person: ReturnType<typeof userEvent.setup>) {
  await person.type(await screen.findByLabelText('Code from our mail'), '123456');
  await person.click(screen.getByRole('button', { name: 'Confirm' }));
}

/** As the library does: the news of the session comes before the answer. */
function verified(answer: object) {
  identity.verifyOtp.mockImplementation(async () => {
    auth.state = { status: 'signed-in', user: { id: 'u1', email: EMAIL } };
    return answer;
  });
}

test('the browser that signed up shows it with the code', async () => {
  const user = { id: 'u1', sign_up_secret: 'made here' };
  identity.signUp.mockResolvedValue({ data: { user, session: null }, error: null });
  verified(SESSION);
  const person = open(<SignUpPage />, '/sign-up?return=%2Ffaq');
  await fillSignUp(person);
  await typeCode(person);
  await arrived('/faq');
  const shown = { email: EMAIL, token: '123456', type: 'signup', sign_up_secret: 'made here' };
  expect(identity.verifyOtp).toHaveBeenCalledWith(shown);
  expect(identity.updateUser).not.toHaveBeenCalled();
});

test('after a sign-up from another browser, the password that was typed here is set', async () => {
  const user = { id: 'u1', sign_up_secret: 'made here' };
  identity.signUp.mockResolvedValue({ data: { user, session: null }, error: null });
  identity.updateUser.mockResolvedValue({ data: { user: {} }, error: null });
  verified(WITHOUT_PASSWORD);
  const person = open(<SignUpPage />, '/sign-up?return=%2Ffaq');
  await fillSignUp(person);
  await typeCode(person);
  await arrived('/faq');
  expect(identity.updateUser).toHaveBeenCalledWith({ password: 'a quiet river' });
});

test('after a reload there is no password to set, so it is asked for', async () => {
  sessionStorage.setItem('addressToConfirm', EMAIL);
  verified(WITHOUT_PASSWORD);
  const person = open(<SignUpPage />, '/sign-up?return=%2Ffaq');
  await typeCode(person);
  await screen.findByRole('heading', { name: 'Choose a Password' });
  expect(screen.getByTestId('where').textContent).toBe('/sign-up?return=%2Ffaq');
});

test('signing in before confirming keeps the password that was just typed', async () => {
  identity.signInWithPassword.mockResolvedValue({
    data: {},
    error: { code: 'email_not_confirmed', message: 'Email not confirmed' },
  });
  identity.updateUser.mockResolvedValue({ data: { user: {} }, error: null });
  verified(WITHOUT_PASSWORD);
  const person = open(<SignInPage />, '/sign-in?return=%2Ffaq');
  await person.type(screen.getByLabelText('Email'), EMAIL);
  await person.type(screen.getByLabelText('Password'), 'a quiet river');
  await person.click(screen.getByRole('button', { name: 'Sign In' }));
  await typeCode(person);
  await arrived('/faq');
  expect(identity.updateUser).toHaveBeenCalledWith({ password: 'a quiet river' });
});
