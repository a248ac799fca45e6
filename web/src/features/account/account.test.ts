import { expect, test } from 'vitest';
import { describeAccountError, waitSeconds } from './account-messages';
import {
  codeDigits,
  splitName,
  validateBooker,
  validateCode,
  validateMailedCode,
  validateName,
  validateSignIn,
  validateSignUp,
} from './account-rules';
import { isRecoveryLink, linkError, mailLink, providerError } from './auth-fragment';
import { accountPath, linkReturnPath, returnPath, setUpPath, wayBack } from './return-path';

const ORIGIN = 'https://sukoon.example';

test.each([
  ['?return=/booking-flow?service=meditation', '/booking-flow?service=meditation'],
  ['?return=%2Fbooking-flow%3Fb%3Dbkg_1%26step%3Dpayment', '/booking-flow?b=bkg_1&step=payment'],
  ['?return=/services', '/services'],
  ['', '/'],
  ['?return=https://evil.example/', '/'],
  ['?return=//evil.example/', '/'],
  ['?return=/\\evil.example/', '/'],
  ['?return=/%09/evil.example', '/'],
  ['?return=/.//evil.example', '/'],
  ['?return=/%2e//evil.example/path', '/'],
  ['?return=/services/..//evil.example', '/'],
  ['?return=/.%5C%5Cevil.example', '/'],
  ['?return=/faq//evil.example', '/faq//evil.example'],
  ['?return=javascript:alert(1)', '/'],
  ['?return=/sign-in', '/'],
])('%s leads to %s', (search, path) => {
  expect(returnPath(search, ORIGIN)).toBe(path);
});

test.each([
  ['https://sukoon.example/sign-in?return=%2Fservices', '/services'],
  ['https://sukoon.example/recover', '/'],
  ['https://sukoon.example/faq?x=1#y', '/faq?x=1#y'],
  ['http://localhost:5173/sign-in?return=%2Ffaq', '/faq'],
  ['https://evil.example//other.example/', '/'],
  ['https://sukoon.example/sign-in?return=%2F.%2F%2Fevil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['', '/'],
])('the link of a mail with %s leads on to %s', (redirectTo, path) => {
  expect(linkReturnPath(redirectTo, ORIGIN)).toBe(path);
});

test('the link of a mail is read, and others are none', () => {
  const redirectTo = 'https://sukoon.example/sign-in';
  const hash = `#token_hash=t&type=recovery&redirect_to=${encodeURIComponent(redirectTo)}`;
  expect(mailLink(hash)).toEqual({ tokenHash: 't', type: 'recovery', redirectTo, account: '' });
  expect(mailLink('#token_hash=t&type=email')?.type).toBe('signup');
  for (const type of ['magiclink', 'email_change', 'invite']) {
    expect(mailLink(`#token_hash=t&type=${type}`)?.type).toBe(type);
  }
  for (const none of ['', '#', '#token_hash=t', '#type=signup', '#error_code=otp_expired']) {
    expect(mailLink(none), none).toBeUndefined();
  }
});

test('the account pages hand the way back on', () => {
  expect(accountPath('/sign-up', '/')).toBe('/sign-up');
  expect(accountPath('/sign-up', '/booking-flow?b=1')).toBe(
    '/sign-up?return=%2Fbooking-flow%3Fb%3D1',
  );
});

test.each([
  ['?return=%2Forganisation%3Fx%3D1', '/organisation?x=1'],
  ['', undefined],
  ['?return=https://evil.example/', undefined],
  ['?return=//evil.example/', undefined],
  ['?return=/sign-in', undefined],
  ['?return=%2Faccount%23second-step', undefined],
])('the account page with %s leads back to %s', (search, path) => {
  expect(wayBack(search, ORIGIN)).toBe(path);
});

test('setting a second step up knows where it began', () => {
  expect(setUpPath('/')).toBe('/account#second-step');
  const path = setUpPath('/organisation?x=1');
  expect(path).toBe('/account?return=%2Forganisation%3Fx%3D1#second-step');
  expect(wayBack(new URL(path, ORIGIN).search, ORIGIN)).toBe('/organisation?x=1');
});

test('a wrong password has a message for people', () => {
  const problem = describeAccountError({
    code: 'invalid_credentials',
    message: 'Invalid login credentials',
  });
  expect(problem.message).toContain('Email or password is not right');
});

test('weak passwords say why', () => {
  const weak = { code: 'weak_password', reasons: ['length', 'pwned'], message: 'x' };
  const problem = describeAccountError(weak);
  expect(problem.field).toBe('password');
  expect(problem.message).toContain('at least 10 characters');
  expect(problem.message).toContain('too easy to guess');
});

test('limits name the wait where the service names it', () => {
  const message = 'For security purposes, you can only request this after 42 seconds.';
  expect(waitSeconds(message)).toBe(42);
  const problem = describeAccountError({ code: 'over_email_send_rate_limit', message });
  expect(problem.message).toContain('42 seconds');
  expect(problem.seconds).toBe(42);
  expect(describeAccountError({ status: 429 }).message).toContain('few minutes');
  expect(describeAccountError({ status: 429 }).seconds).toBeUndefined();
  expect(describeAccountError({ status: 429, retryAfterSeconds: 9 }).seconds).toBe(9);
});

test('a password that is part of guesses leads to the code by mail', () => {
  const message = 'Request rate limit reached; a code by mail signs in';
  const refused = { code: 'over_request_rate_limit', status: 429, message };
  expect(describeAccountError(refused).message).toContain('sign in with a code');
});

test('the text of a network error is not shown', () => {
  const problem = describeAccountError(new TypeError('Failed to fetch'));
  expect(problem.message).not.toContain('fetch');
  expect(problem.title).toBe('This part is not available right now');
});

test('the forms say what is missing', () => {
  expect(validateSignIn({ email: '', password: '' })).toEqual({
    email: 'Email is required',
    password: 'Password is required',
  });
  const good = { firstName: 'A', lastName: 'R', email: 'a@b.example', phone: '', password: 'x' };
  expect(validateSignUp(good)).toEqual({ password: 'Use at least 10 characters' });
  expect(validateSignUp({ ...good, password: '          ' })).toEqual({});
});

test('where the codes of the hour are used up, the person reads when to try again', () => {
  const message =
    'Too many codes are being asked for. If you have an account, look into your mailbox: your ' +
    'code may be there. You can only request this after 1500 seconds.';
  const problem = describeAccountError({ code: 'over_email_send_rate_limit', message });
  expect(problem.title).toBe('No new code at the moment');
  expect(problem.message).toMatch(/look into your mailbox.*Please try again in 25 minutes\.$/);
  expect(problem.seconds).toBe(1500);
});

test('a mailed code has six digits, or eight where this browser is not known', () => {
  for (const code of ['123 456', '1234-5678']) expect(validateMailedCode({ code })).toEqual({});
  for (const code of ['12345', '1234567', '123456789']) {
    expect(validateMailedCode({ code }).code).toMatch(/all digits/);
  }
});

test('codes may be pasted with spaces', () => {
  expect(codeDigits(' 123 456 ')).toBe('123456');
  expect(validateCode({ code: '123-456' })).toEqual({});
  expect(validateCode({ code: '12345' }).code).toMatch(/6 digits/);
});

test('links of mails are understood', () => {
  expect(linkError('#error=access_denied&error_code=otp_expired&sb=')).toBe(true);
  expect(linkError('#access_token=a&type=signup')).toBe(false);
  expect(isRecoveryLink('#access_token=a&type=recovery')).toBe(true);
  expect(isRecoveryLink('#access_token=a&type=signup')).toBe(false);
});

test('another service that refused is no old link', () => {
  expect(providerError('#error=access_denied&error_code=otp_expired')).toBe(false);
  expect(providerError('#error=server_error&error_code=bad_oauth_state')).toBe(true);
  expect(providerError('#error=access_denied')).toBe(true);
  expect(providerError('#access_token=a')).toBe(false);
});

test('the name of an app or a passkey can be seen', () => {
  expect(validateName({ name: 'My phone 2' })).toEqual({});
  for (const name of ['', ' ', '\u200b\u3164']) {
    expect(validateName({ name }).name).toBe('Please give it a name');
  }
  expect(validateName({ name: 'n'.repeat(65) }).name).toBe('At most 64 characters');
});

test('a booking asks for a name and an address, and a name is split', () => {
  const good = { name: 'Asha', email: 'a@b.example', phone: '' };
  expect(validateBooker(good)).toEqual({});
  expect(Object.keys(validateBooker({ name: ' ', email: 'a', phone: '1' })).sort()).toEqual([
    'email',
    'name',
    'phone',
  ]);
  expect(splitName(' Asha  Devi Rao ')).toEqual({ firstName: 'Asha Devi', lastName: 'Rao' });
  expect(splitName('Asha')).toEqual({ firstName: 'Asha', lastName: '' });
  // What has no letter is no name of its own: the service would refuse it.
  expect(splitName('Asha 🌿')).toEqual({ firstName: 'Asha 🌿', lastName: '' });
  expect(splitName('Asha Rao .')).toEqual({ firstName: 'Asha', lastName: 'Rao .' });
  expect(splitName('3 Rao')).toEqual({ firstName: '3 Rao', lastName: '' });
});
