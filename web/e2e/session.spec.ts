/** The session is out of reach of scripts: its refresh token is in a cookie, nothing in storage. */
import type { Page, Request } from '@playwright/test';
import { askIdentity, newPerson, sessionCookie, signIn, signUpQuietly } from './support/people';
import { expect, expectToast, test } from './support/test';
import { refusal } from './support/watch';

const REFRESH = '/auth/v1/token?grant_type=refresh_token';
const LIST_RECEIPTS = '/rpc/payments.v1.PaymentsService/ListReceipts';

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

/** How a call with an access token is answered outside of the browser. */
async function askedWith(token: string, url: string, body?: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const method = body ? 'POST' : 'GET';
  return (await fetch(url, { method, headers, body })).status;
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

test('no script can read the session, and a load continues it', async ({
  page,
  practice,
  complaints,
}) => {
  const asVisitor = identityCalls(page);
  await page.goto('/');
  await page.goto('/faq');
  await page.waitForLoadState('networkidle');
  expect(asVisitor, 'a visitor without a session asks nothing').toEqual([]);

  const person = newPerson('Ila');
  await askIdentity(practice.url, 'signup', { email: person.email, password: person.password });
  await page.goto('/sign-in?return=/faq');
  await signIn(page, person);
  await expect(page).toHaveURL(/:\d+\/faq$/);
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

test('a sign-out without a connection is ended by the next page, and at every service', async ({
  page,
  context,
  practice,
  complaints,
}) => {
  complaints.expect(/\/auth\/v1\/|ERR_INTERNET_DISCONNECTED/);
  const token = await signUpQuietly(page, practice.url, newPerson('Kavya'));
  expect(await askedWith(token, `${practice.url}${LIST_RECEIPTS}`, '{}')).not.toBe(401);
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
  await expect.poll(() => askedWith(token, `${practice.url}/auth/v1/user`)).toBe(403);
  const receipts = `${practice.url}${LIST_RECEIPTS}`;
  await expect.poll(() => askedWith(token, receipts, '{}'), { timeout: 60_000 }).toBe(401);
});
