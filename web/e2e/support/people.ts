/** People who have accounts, so that tests of other things need not make them by hand. */
import { randomUUID } from 'node:crypto';
import type { Cookie, Page } from '@playwright/test';
import { appCode } from './authenticator';
import { codeOf, type Sandbox } from './sandbox';

/** The mark that says to pages that the cookie holds a session. */
const SESSION_MARK = 'session';

/** Mails with a code that signs in, for an account that is there and for one that is made by it. */
const CODE_MAILS = /^(Your code to sign in|Confirm your e-mail address)/;

export type Person = {
  firstName: string;
  lastName: string;
  email: string;
  phone: string;
  password: string;
};

/** A new person each time, so that tests do not share one. */
export function newPerson(firstName = 'Asha'): Person {
  return {
    firstName,
    lastName: 'Verma',
    email: `${firstName.toLowerCase()}.${randomUUID().slice(0, 8)}@example.com`,
    phone: '98765 43210',
    password: 'a river and seven stones',
  };
}

/** Asks the identity service as a program that is no page of ours. */
export async function askIdentity(url: string, path: string, body: unknown): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(`${url}/auth/v1/${path}`, init);
  const session = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${session}`);
  return session;
}

/** Writes into the site's storage before any page reads it. */
async function store(page: Page, url: string, key: string, value: string): Promise<void> {
  // An empty document of the site's origin.
  const path = `${url}/seat`;
  const html = '<!doctype html><title>Seat</title><link rel="icon" href="data:,">';
  await page.route(path, (route) => route.fulfill({ contentType: 'text/html', body: html }));
  await page.goto(path, { waitUntil: 'load' });
  await page.evaluate(([name, text]) => localStorage.setItem(name, text), [key, value] as const);
}

/** Opens a session in this browser by the call that the page makes, and says its access token. */
async function seat(page: Page, url: string, path: string, data: unknown): Promise<string> {
  const headers = { 'x-session-transport': 'cookie' };
  // The browser takes the cookie of the answer.
  const answer = await page.request.post(`${url}/auth/v1/${path}`, { headers, data });
  const text = await answer.text();
  if (!answer.ok()) throw new Error(`${path} answered ${answer.status()}: ${text}`);
  await store(page, url, SESSION_MARK, 'open');
  return (JSON.parse(text) as { access_token: string }).access_token;
}

/** The cookie that keeps the session of this browser. */
export async function sessionCookie(page: Page): Promise<Cookie | undefined> {
  const cookies = await page.context().cookies();
  return cookies.find(({ name }) => /^(__Host-)?session(-\d+)?$/.test(name));
}

/** Creates the account by the call that the page makes, and opens the session in this browser. */
export async function signUpQuietly(page: Page, url: string, person: Person): Promise<string> {
  const { email, password, firstName, lastName, phone } = person;
  const data = { firstName, lastName, phone };
  return seat(page, url, 'signup', { email, password, data });
}

/** Creates an account by a code, which proves its address, and opens the session in this browser. */
export async function signUpByCode(
  page: Page,
  { url, sandbox }: { url: string; sandbox: Sandbox },
  { email, firstName, lastName, phone }: Person,
): Promise<string> {
  const asked = { email, create_user: true, data: { firstName, lastName, phone } };
  const answer = await page.request.post(`${url}/auth/v1/otp`, { data: asked });
  if (!answer.ok()) throw new Error(`otp answered ${answer.status()}: ${await answer.text()}`);
  const token = codeOf(await sandbox.mail(email, CODE_MAILS));
  return seat(page, url, 'verify', { type: 'email', email, token });
}

/** Creates an account that waits for its code, without a browser. */
export async function signUpAwaiting(url: string, person: Person): Promise<void> {
  const { email, password } = person;
  await askIdentity(url, 'signup', { email, password });
}

/** Opens a session of an account that exists in this browser. */
export async function openSession(
  page: Page,
  url: string,
  { email, password }: Pick<Person, 'email' | 'password'>,
): Promise<string> {
  return seat(page, url, 'token?grant_type=password', { email, password });
}

type Answered = {
  id: string;
  access_token: string;
  factors?: { id: string }[];
  totp?: { secret: string };
};

/** Asks identity as the page does, with this browser's cookie and a token. */
function asPage(page: Page, url: string, token: string) {
  const headers = { 'x-session-transport': 'cookie', authorization: `Bearer ${token}` };
  return async (path: string, data?: unknown): Promise<Answered> => {
    const address = `${url}/auth/v1/${path}`;
    const answer = await (data
      ? page.request.post(address, { headers, data })
      : page.request.get(address, { headers }));
    const text = await answer.text();
    if (!answer.ok()) throw new Error(`${path} answered ${answer.status()}: ${text}`);
    return JSON.parse(text) as Answered;
  };
}

/** Shows the code of the account's app by the calls that the page makes. */
export async function showSecondStep(
  page: Page,
  url: string,
  token: string,
  code: string,
): Promise<string> {
  const ask = asPage(page, url, token);
  const app = (await ask('user')).factors?.[0]?.id;
  const { id } = await ask(`factors/${app}/challenge`, {});
  return (await ask(`factors/${app}/verify`, { challenge_id: id, code })).access_token;
}

/** Sets up an app by the calls that the page makes, with the code that is mailed. Returns its secret. */
export async function enrollApp(
  page: Page,
  { url, token }: { url: string; token: string },
  mailed: () => Promise<string>,
): Promise<string> {
  const ask = asPage(page, url, token);
  await ask('reauthenticate');
  await ask('reauthenticate/verify', { nonce: await mailed() });
  const { totp } = await ask('factors', { factor_type: 'totp' });
  const secret = totp?.secret ?? '';
  await showSecondStep(page, url, token, appCode(secret));
  return secret;
}

/** Signs in on the page. */
export async function signIn(page: Page, person: Person): Promise<void> {
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('main').getByRole('button', { name: 'Sign In' }).click();
}

/** Fills the sign-up form and sends it. */
export async function signUp(page: Page, person: Person): Promise<void> {
  await page.getByLabel('First name').fill(person.firstName);
  await page.getByLabel('Last name').fill(person.lastName);
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Phone').fill(person.phone);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Create Account' }).click();
}

/** Says who books, where a booking asks it, and has a code mailed. */
async function askForCode(page: Page, person: Person): Promise<void> {
  const main = page.getByRole('main');
  const name = main.getByLabel('Your name');
  if ((await name.inputValue()) === '') await name.fill(`${person.firstName} ${person.lastName}`);
  await main.getByLabel('Email').fill(person.email);
  await main.getByLabel('Phone').fill(person.phone);
  await main.getByRole('button', { name: 'Email me a code' }).click();
}

/** Signs in with the code of a mail, where a booking asks who books. */
export async function signInByCode(page: Page, sandbox: Sandbox, person: Person): Promise<void> {
  await askForCode(page, person);
  await typeCode(page, sandbox, person);
}

/** Types the code of the newest mail. */
export async function typeCode(page: Page, sandbox: Sandbox, { email }: Person): Promise<void> {
  const code = page.getByRole('main').getByLabel('Code from our mail');
  await code.waitFor();
  await code.fill(codeOf(await sandbox.mail(email, CODE_MAILS)));
  await page.getByRole('main').getByRole('button', { name: 'Confirm', exact: true }).click();
}

/** Shows by a code of a mail that the account's address is the client's, where a step asks for that. */
export async function proveAddress(
  page: Page,
  sandbox: Sandbox,
  { email }: Pick<Person, 'email'>,
): Promise<void> {
  await page.getByRole('heading', { name: 'Confirm Your Email' }).waitFor();
  await page.getByRole('button', { name: 'Send me a code' }).click();
  const code = page.getByLabel('Code from our mail');
  await code.waitFor();
  await code.fill(codeOf(await sandbox.mail(email, /^Confirm your e-mail address/)));
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
}

/** Presses a sign-out and waits until the service knows: a page that opens before asks it again. */
export async function signOutBy(page: Page, press: () => Promise<void>): Promise<void> {
  const ended = page.waitForResponse((answer) => answer.url().includes('/auth/v1/logout'));
  await press();
  await (await ended).finished();
}
