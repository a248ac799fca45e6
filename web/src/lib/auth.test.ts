/** Sessions with the real client library, in front of a gateway that keeps the refresh token. */
import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const KEY = 'supabase.auth.token';
const MARK = 'session';
const PLACEHOLDER = 'kept-in-a-cookie';

type Call = { path: string; authorization: string | null; cookie: boolean; body: string };

/** Plays the gateway; the cookie is out of the page's reach. */
const gateway = {
  cookie: undefined as string | undefined,
  /** Goes on from test to test, so that each has tokens of its own. */
  issued: 0,
  calls: [] as Call[],
  person: 'u1',
  firstName: 'Asha',
  /** Takes the place of the next answers. */
  fail: undefined as (() => Promise<Response>) | undefined,
};

function json(status: number, body: unknown): Response {
  const headers = { 'content-type': 'application/json' };
  return new Response(JSON.stringify(body), { status, headers });
}

function session(number: number, refresh_token: string) {
  const { person: id, firstName } = gateway;
  const user = { id, email: 'asha@example.org', user_metadata: { firstName } };
  const access_token = `access token ${number}`;
  return { access_token, refresh_token, token_type: 'bearer', expires_in: 600, user };
}

function opened(cookie: boolean): Response {
  gateway.issued += 1;
  const token = `refresh token ${gateway.issued}`;
  if (cookie) gateway.cookie = token;
  return json(200, session(gateway.issued, cookie ? PLACEHOLDER : token));
}

async function answer(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const path = new URL(url).pathname.replace('/auth/v1/', '') + new URL(url).search;
  const cookie = headers.get('x-session-transport') === 'cookie';
  const body = String(init.body ?? '');
  gateway.calls.push({ path, authorization: headers.get('authorization'), cookie, body });
  if (gateway.fail) return gateway.fail();
  if (path.includes('refresh_token')) {
    const { refresh_token } = JSON.parse(body) as { refresh_token: string };
    const known = refresh_token === PLACEHOLDER ? gateway.cookie : refresh_token;
    if (known?.startsWith('refresh token')) return opened(cookie);
    gateway.cookie = undefined;
    return json(400, { code: 'refresh_token_not_found', message: 'x' });
  }
  if (path.startsWith('token')) return opened(cookie);
  if (cookie) gateway.cookie = undefined;
  return new Response(null, { status: 204 });
}

const FAILURES: [string, () => Promise<Response>][] = [
  ['a lost network', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['503', async () => json(503, { code: 'unexpected_failure', message: 'x' })],
  ['429', async () => json(429, { code: 'over_request_rate_limit', message: 'x' })],
];

function callsTo(path: string): Call[] {
  return gateway.calls.filter((call) => call.path.startsWith(path));
}

const close: (() => void)[] = [];

/** A module of its own for each, as after each load of a page, or in a tab of its own. */
async function page() {
  vi.resetModules();
  const auth = await import('./auth');
  close.push(auth.startAuth());
  const hook = renderHook(() => auth.useAuth());
  const state = () => hook.result.current;
  const shows = (status: string) => vi.waitFor(() => expect(state().status).toBe(status));
  return { ...auth, state, shows };
}

async function signedIn() {
  const tab = await page();
  const client = await tab.authClient();
  await client.signInWithPassword({ email: 'asha@example.org', password: 'x' });
  await tab.shows('signed-in');
  return { ...tab, client, token: `access token ${gateway.issued}` };
}

/** What scripts of the page can read. */
function readable(): string {
  return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]);
}

beforeEach(() => {
  const fresh = { cookie: undefined, calls: [], fail: undefined };
  Object.assign(gateway, { ...fresh, person: 'u1', firstName: 'Asha' });
  vi.mocked(fetch).mockImplementation((url, init) => answer(String(url), init));
});

afterEach(() => {
  for (const one of close.splice(0)) one();
  window.history.replaceState(null, '', '/');
});

test('signing in leaves no token and nothing about the person in storage', async () => {
  const { accessToken, token } = await signedIn();
  expect(await accessToken()).toBe(token);
  expect(gateway.calls.every(({ cookie }) => cookie)).toBe(true);
  expect(localStorage.getItem(MARK)).toBe('open');
  for (const secret of ['token', 'asha', PLACEHOLDER]) expect(readable()).not.toContain(secret);
});

test('a load continues the session by one call with the cookie', async () => {
  await signedIn();
  const reloaded = await page();
  expect(reloaded.state()).toEqual({ status: 'unknown', user: undefined, returning: true });
  await vi.waitFor(() => expect(reloaded.state().user?.firstName).toBe('Asha'));
  expect(await reloaded.accessToken()).toBe(`access token ${gateway.issued}`);
  expect(callsTo('token?grant_type=refresh_token')).toMatchObject([
    { cookie: true, body: JSON.stringify({ refresh_token: PLACEHOLDER }) },
  ]);
});

test('a visitor who never signed in asks nothing', async () => {
  const visitor = await page();
  await visitor.shows('signed-out');
  expect(await visitor.accessToken()).toBeNull();
  expect(gateway.calls).toEqual([]);
});

test('a session that an older page left in storage is handed over once', async () => {
  const old = { ...session(0, 'refresh token 0'), expires_in: 3600 };
  const expires_at = Math.floor(Date.now() / 1000) + 3000;
  localStorage.setItem(KEY, JSON.stringify({ ...old, expires_at }));
  gateway.fail = FAILURES[0]?.[1];
  const upgraded = await page();
  await vi.waitFor(() => expect(gateway.calls).not.toEqual([]));
  // Until the gateway has it, it is not lost.
  expect(localStorage.getItem(KEY)).toContain('refresh token 0');
  gateway.fail = undefined;
  await upgraded.shows('signed-in');
  expect(gateway.calls.at(-1)).toMatchObject({
    cookie: true,
    body: JSON.stringify({ refresh_token: 'refresh token 0' }),
  });
  expect(readable()).not.toContain('token');
  const reloaded = await page();
  await reloaded.shows('signed-in');
  expect(gateway.calls.at(-1)?.body).toContain(PLACEHOLDER);
});

test.each([...FAILURES, ['500', async () => json(500, { message: 'x' })] as const])(
  'with %s at a load the session is only waited for',
  async (_, fail) => {
    await signedIn();
    gateway.fail = fail;
    const reloaded = await page();
    await vi.waitFor(() => expect(callsTo('token?grant_type=refresh').length).toBeGreaterThan(1));
    expect(reloaded.state()).toMatchObject({ status: 'unknown', returning: true });
    expect(localStorage.getItem(MARK)).toBe('open');
    gateway.fail = undefined;
    await reloaded.shows('signed-in');
  },
);

test('a session that has ended at the service ends here', async () => {
  await signedIn();
  gateway.cookie = undefined;
  const reloaded = await page();
  await reloaded.shows('signed-out');
  expect(localStorage.getItem(MARK)).toBeNull();
  expect(await reloaded.accessToken()).toBeNull();
});

test('no address signs a visitor in', async () => {
  const fragment =
    '#access_token=a.b.c&refresh_token=forged&expires_in=3600&token_type=bearer&type=recovery';
  window.history.replaceState(null, '', `/services${fragment}`);
  const visitor = await page();
  await visitor.shows('signed-out');
  await (await visitor.authClient()).getSession();
  expect([visitor.state().status, gateway.calls]).toEqual(['signed-out', []]);
  expect(localStorage).toHaveLength(0);

  window.history.replaceState(null, '', '/');
  await signedIn();
  window.history.replaceState(null, '', `/services${fragment}`);
  const other = await page();
  expect(await other.accessToken()).toBe(`access token ${gateway.issued}`);
  expect(JSON.stringify(gateway.calls)).not.toContain('forged');
});

test.each(FAILURES)(
  'with %s the session leaves this browser, and the service hears it later',
  async (_, fail) => {
    const auth = await signedIn();
    gateway.fail = fail;
    auth.signOut();
    await auth.shows('signed-out');
    await vi.waitFor(() => expect(callsTo('logout')).toHaveLength(1));
    expect((await auth.client.getSession()).data.session).toBeNull();
    expect(localStorage.getItem(MARK)).toBe('ending');
    expect(readable()).not.toContain('token');

    gateway.fail = undefined;
    window.dispatchEvent(new Event('online'));
    await vi.waitFor(() => expect(gateway.cookie).toBeUndefined());
    expect(callsTo('logout')[1]).toMatchObject({
      authorization: `Bearer ${auth.token}`,
      cookie: true,
    });
    // It was heard: there is nothing more to tell.
    await vi.waitFor(() => expect(localStorage.getItem(MARK)).toBeNull());
    window.dispatchEvent(new Event('online'));
    expect(auth.state().status).toBe('signed-out');
    expect(callsTo('logout')).toHaveLength(2);
  },
);

test.each([401, 403, 404])(
  'a session that the service knows no more (%i) is over, and nothing is told it again',
  async (status) => {
    const auth = await signedIn();
    gateway.fail = async () => json(status, { code: status, msg: 'No.' });
    auth.signOut();
    await auth.shows('signed-out');
    await vi.waitFor(() => expect(callsTo('logout')).toHaveLength(1));
    await vi.waitFor(() => expect(localStorage.getItem(MARK)).toBeNull());
    expect((await auth.client.getSession()).data.session).toBeNull();
    window.dispatchEvent(new Event('online'));
    const reloaded = await page();
    await reloaded.shows('signed-out');
    expect(callsTo('logout')).toHaveLength(1);
  },
);

test('what a page could not end, the next page ends before it asks for anything else', async () => {
  const auth = await signedIn();
  gateway.fail = FAILURES[0]?.[1];
  auth.signOut();
  await vi.waitFor(() => expect(callsTo('logout')).toHaveLength(1));
  gateway.fail = undefined;
  const reloaded = await page();
  await reloaded.shows('signed-out');
  await vi.waitFor(() => expect(gateway.cookie).toBeUndefined());
  expect(callsTo('logout').at(-1)?.authorization).toBe(`Bearer access token ${gateway.issued}`);
  await vi.waitFor(() => expect(localStorage.getItem(MARK)).toBeNull());
  expect(reloaded.state().status).toBe('signed-out');
  // The page before is still there in a test; it has no more to do after this.
  window.dispatchEvent(new Event('online'));
  await vi.waitFor(() => expect(callsTo('logout')).toHaveLength(3));
});

test('a sign-out that is still to be told leaves the next session alone', async () => {
  const auth = await signedIn();
  gateway.fail = FAILURES[1]?.[1];
  auth.signOut();
  await vi.waitFor(() => expect(callsTo('logout')).toHaveLength(1));
  gateway.fail = undefined;
  await auth.client.signInWithPassword({ email: 'asha@example.org', password: 'x' });
  window.dispatchEvent(new Event('online'));
  await vi.waitFor(() => expect(callsTo('logout')).toHaveLength(2));
  expect(callsTo('logout')[1]).toMatchObject({
    authorization: `Bearer ${auth.token}`,
    cookie: false,
  });
  expect(gateway.cookie).toBe(`refresh token ${gateway.issued}`);
  await auth.shows('signed-in');
  expect(localStorage.getItem(MARK)).toBe('open');
});

test('where tabs cannot speak to each other, a person signs in all the same', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  class Refused {
    constructor() {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    }
  }
  vi.stubGlobal('BroadcastChannel', Refused);
  const { accessToken, token } = await signedIn();
  expect(await accessToken()).toBe(token);
  vi.unstubAllGlobals();
});

test('without the client library a sign-out works as well, and no other page is signed in', async () => {
  localStorage.setItem(MARK, 'open');
  gateway.cookie = 'refresh token 0';
  gateway.fail = FAILURES[0]?.[1];
  const auth = await page();
  auth.signOut();
  await auth.shows('signed-out');
  const reloaded = await page();
  await reloaded.shows('signed-out');
  gateway.fail = undefined;
  window.dispatchEvent(new Event('online'));
  await vi.waitFor(() => expect(gateway.cookie).toBeUndefined());
});

test('tabs tell each other of a change, and each asks for itself', async () => {
  const [one, other] = [await page(), await page()];
  await (await other.authClient()).getSession();
  const client = await one.authClient();
  // Any script of the site can listen to ours, and to that of auth-js.
  const channels = [MARK, KEY].map((name) => new BroadcastChannel(name));
  const said: unknown[] = [];
  for (const channel of channels) channel.onmessage = ({ data }) => said.push(data);
  await client.signInWithPassword({ email: 'asha@example.org', password: 'x' });
  const token = `access token ${gateway.issued}`;
  await other.shows('signed-in');
  const renewals = () => callsTo('token?grant_type=refresh_token').length;
  expect(renewals()).toBeGreaterThan(0);
  expect(await one.accessToken()).toBe(token);
  expect(await other.accessToken()).not.toBe(token);
  gateway.firstName = 'Usha';
  await client.refreshSession();
  await vi.waitFor(() => expect(other.state().user?.firstName).toBe('Usha'));
  // A renewal that brings nothing new is its own tab's.
  const before = renewals();
  await client.refreshSession();
  other.signOut();
  await one.shows('signed-out');
  expect(await one.accessToken()).toBeNull();
  await vi.waitFor(() => expect(said).toEqual(['refreshed', 'refreshed', 'ended']));
  expect(renewals()).toBe(before + 1);
  for (const channel of channels) channel.close();
});

test('a second person in one tab is the person of the other', async () => {
  const [one, other] = [await signedIn(), await page()];
  await other.authClient();
  await other.shows('signed-in');
  gateway.person = 'u2';
  await one.client.signInWithPassword({ email: 'bela@example.org', password: 'x' });
  await vi.waitFor(() => expect(other.state().user?.id).toBe('u2'));
});

test('a page that comes back from the memory of the browser asks again whose the session is', async () => {
  const tab = await signedIn();
  const comeBack = () =>
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  comeBack();
  await vi.waitFor(async () => expect(await tab.accessToken()).not.toBe(tab.token));
  localStorage.removeItem(MARK);
  comeBack();
  await tab.shows('signed-out');
  expect(await tab.accessToken()).toBeNull();
});

test.each([MARK, null])('a tab without the library hears others by storage (%s)', async (key) => {
  const tab = await page();
  gateway.cookie = 'refresh token 0';
  localStorage.setItem(MARK, 'open');
  window.dispatchEvent(new StorageEvent('storage', { key: MARK, newValue: 'open' }));
  await tab.shows('signed-in');
  localStorage.removeItem(MARK);
  window.dispatchEvent(new StorageEvent('storage', { key, newValue: null }));
  await tab.shows('signed-out');
  expect(await tab.accessToken()).toBeNull();
});
