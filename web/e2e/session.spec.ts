/** The session is out of reach of scripts: its refresh token is in a cookie, nothing in storage. */
import type { Page, Request } from '@playwright/test';
import {
  askIdentity,
  newPerson,
  sessionCookie,
  signIn,
  signUpQuietly,
  store,
} from './support/people';
import { expect, expectToast, test } from './support/test';
import { refusal } from './support/watch';

const REFRESH = '/auth/v1/token?grant_type=refresh_token';

const avatar = (page: Page) => page.getByRole('button', { name: /^Your account/ });

/** All that a script of the page can read without a call. */
function readable(page: Page): Promise<string> {
  return page.evaluate(() =>
    JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }]),
  );
}

/** A refresh as a script of the page could make it: what it gets to see. */
function refreshByScript(page: Page, headers: Record<string, string>) {
  return page.evaluate(
    async ([path, more]) => {
      const answer = await fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...more },
        body: JSON.stringify({ refresh_token: 'kept-in-a-cookie' }),
      });
      const seen = JSON.stringify([...answer.headers]);
      return { status: answer.status, seen, body: await answer.text() };
    },
    [REFRESH, headers] as const,
  );
}

async function leave(page: Page): Promise<void> {
  await avatar(page).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expectToast(page, 'Signed out');
}

/** The calls of a page to the identity service from now on. */
function identityCalls(page: Page): string[] {
  const calls: string[] = [];
  page.on('request', (request: Request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/auth/v1/')) calls.push(pathname + search);
  });
  return calls;
}

test('no script can read the session, and a load continues it @phone', async ({
  page,
  practice,
  complaints,
}) => {
  const person = newPerson('Ila');
  await askIdentity(practice.url, 'signup', { email: person.email, password: person.password });
  await page.goto('/sign-in?return=/faq');
  await signIn(page, person);
  await expect(page).toHaveURL(/\/faq$/);
  await expect(avatar(page)).toBeVisible();

  const cookie = await sessionCookie(page);
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
  const secret = cookie?.value ?? '';
  expect(secret.length).toBeGreaterThan(10);
  for (const hidden of [secret, 'eyJ', person.email]) {
    expect(await readable(page)).not.toContain(hidden);
  }

  // What the page before has asked for is no part of it, up to the moment at which it is gone.
  await page.waitForLoadState('networkidle');
  const calls = identityCalls(page);
  page.once('framenavigated', () => calls.splice(0));
  await page.reload();
  await expect(avatar(page)).toBeVisible();
  expect(calls).toEqual([REFRESH]);
  const renewed = (await sessionCookie(page))?.value ?? '';
  expect(renewed).not.toBe(secret);

  // A script in the page can ask for a new access token, and never sees the refresh token.
  const asked = await refreshByScript(page, { 'x-session-transport': 'cookie' });
  expect(asked.status).toBe(200);
  const newest = (await sessionCookie(page))?.value ?? 'none';
  for (const hidden of [secret, renewed, newest]) {
    expect(asked.seen + asked.body + (await readable(page))).not.toContain(hidden);
  }
  complaints.expect(refusal('/auth/v1/token'));
  expect((await refreshByScript(page, {})).status).toBe(400);
  expect((await sessionCookie(page))?.value).toBe(newest);
});

test('a visitor without a session asks the identity service nothing', async ({ page }) => {
  const calls = identityCalls(page);
  await page.goto('/');
  await page.goto('/faq');
  await page.waitForLoadState('networkidle');
  expect(calls).toEqual([]);
});

test('tabs sign in and out together', async ({ page, context, practice }) => {
  const person = newPerson('Jaya');
  await askIdentity(practice.url, 'signup', { email: person.email, password: person.password });
  const other = await context.newPage();
  await other.goto(`${practice.url}/faq`);
  await page.goto('/sign-in?return=/contact');
  await signIn(page, person);
  await expect(avatar(page)).toBeVisible();
  await expect(avatar(other)).toBeVisible();
  // Both load at once, and both stay signed in.
  await Promise.all([page.reload(), other.reload()]);
  await expect(avatar(page)).toBeVisible();
  await expect(avatar(other)).toBeVisible();
  await leave(page);
  await expect(avatar(other)).toHaveCount(0);
  await expect.poll(() => sessionCookie(page)).toBeUndefined();
});

test('a sign-out without a connection is ended by the next page', async ({
  page,
  context,
  practice,
  complaints,
}) => {
  complaints.expect(/\/auth\/v1\/|ERR_INTERNET_DISCONNECTED/);
  const token = await signUpQuietly(page, practice.url, newPerson('Kavya'));
  await page.goto('/faq');
  await expect(avatar(page)).toBeVisible();
  await context.setOffline(true);
  await leave(page);
  await expect(avatar(page)).toHaveCount(0);
  expect(await readable(page)).not.toContain('eyJ');
  // The browser is closed before there is a connection again.
  await page.close();
  await context.setOffline(false);
  const next = await context.newPage();
  await next.goto(`${practice.url}/faq`);
  await expect.poll(() => sessionCookie(next)).toBeUndefined();
  await expect(avatar(next)).toHaveCount(0);
  const headers = { authorization: `Bearer ${token}` };
  const ended = async () => (await fetch(`${practice.url}/auth/v1/user`, { headers })).status;
  await expect.poll(ended).toBe(403);
});

test('a session that an older page left in storage goes on', async ({ page, practice }) => {
  const person = newPerson('Leela');
  const { email, password } = person;
  const old = await askIdentity(practice.url, 'signup', { email, password });
  const { refresh_token } = JSON.parse(old) as { refresh_token: string };
  await store(page, practice.url, 'supabase.auth.token', old);
  await page.goto('/faq');
  await expect(avatar(page)).toBeVisible();
  for (const hidden of [refresh_token, 'eyJ', email]) {
    expect(await readable(page)).not.toContain(hidden);
  }
  expect((await sessionCookie(page))?.value).not.toBe(refresh_token);
  await page.reload();
  await expect(avatar(page)).toBeVisible();
});

test('a link with the session of a stranger signs no visitor in', async ({ page, practice }) => {
  const [stranger, person] = [newPerson('Mallory'), newPerson('Meena')];
  const { email, password } = stranger;
  const theirs = JSON.parse(await askIdentity(practice.url, 'signup', { email, password })) as {
    access_token: string;
    refresh_token: string;
  };
  const { access_token, refresh_token } = theirs;
  const fields = { access_token, refresh_token, expires_in: '600', token_type: 'bearer' };
  const link = `/faq#${new URLSearchParams(fields)}`;
  await page.goto(link);
  await page.waitForLoadState('networkidle');
  await expect(avatar(page)).toHaveCount(0);
  await signUpQuietly(page, practice.url, person);
  await page.goto(link);
  await avatar(page).click();
  await expect(page.getByText(person.email)).toBeVisible();
});

test('after a sign-out everywhere no service takes the access token', async ({
  page,
  practice,
}) => {
  test.setTimeout(120_000);
  const token = await signUpQuietly(page, practice.url, newPerson('Nita'));
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const asked = async (path: string) => {
    const init = { method: 'POST', headers, body: '{}' };
    return (await fetch(`${practice.url}${path}`, init)).status;
  };
  const receipts = '/rpc/payments.v1.PaymentsService/ListReceipts';
  expect(await asked(receipts)).not.toBe(401);
  expect(await asked('/auth/v1/logout?scope=global')).toBe(204);
  await expect.poll(() => asked(receipts), { timeout: 60_000 }).toBe(401);
});
