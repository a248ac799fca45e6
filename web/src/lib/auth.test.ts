/** Signing out, with the real client library and a network that fails. */
import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const KEY = 'supabase.auth.token';

function session(secondsLeft: number) {
  return JSON.stringify({
    access_token: 'an access token',
    refresh_token: 'a refresh token',
    token_type: 'bearer',
    expires_in: 3600,
    expires_at: Math.floor(Date.now() / 1000) + secondsLeft,
    user: { id: 'u1', email: 'asha@example.org', user_metadata: {} },
  });
}

function json(status: number, body: unknown): Response {
  const headers = { 'content-type': 'application/json' };
  return new Response(JSON.stringify(body), { status, headers });
}

const FAILURES: [string, () => Promise<Response>][] = [
  ['a lost network', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['503', async () => json(503, { code: 'unexpected_failure', message: 'x' })],
  ['429', async () => json(429, { code: 'over_request_rate_limit', message: 'x' })],
];

/** The calls to a path of the identity service, with what they carried. */
function callsTo(path: string) {
  const calls = vi.mocked(fetch).mock.calls;
  const found = calls.filter(([url]) => String(url).includes(`/auth/v1/${path}`));
  return found.map(([, init]) => new Headers(init?.headers).get('authorization'));
}

/** A module of its own for each test, as after each load of a page. */
async function opened(secondsLeft = 3600) {
  localStorage.setItem(KEY, session(secondsLeft));
  vi.resetModules();
  const auth = await import('./auth');
  close.push(auth.startAuth());
  return auth;
}

const close: (() => void)[] = [];

beforeEach(() => {
  vi.mocked(fetch).mockImplementation(async () => new Response(null, { status: 204 }));
});

afterEach(() => {
  for (const one of close.splice(0)) one();
});

test.each(FAILURES)(
  'with %s the session leaves this browser, and the service hears it later',
  async (_, fail) => {
    const auth = await opened();
    const client = await auth.authClient();
    expect((await client.getSession()).data.session?.access_token).toBe('an access token');
    const state = renderHook(() => auth.useAuth());
    vi.mocked(fetch).mockImplementation(fail);

    auth.signOut();
    expect(localStorage.getItem(KEY)).toBeNull();
    await vi.waitFor(() => expect(callsTo('logout')).toHaveLength(1));
    expect(state.result.current.status).toBe('signed-out');
    expect((await client.getSession()).data.session).toBeNull();
    expect(JSON.stringify({ ...localStorage, ...sessionStorage })).not.toContain('token');

    vi.mocked(fetch).mockImplementation(async () => new Response(null, { status: 204 }));
    window.dispatchEvent(new Event('online'));
    await vi.waitFor(() => expect(callsTo('logout')).toHaveLength(2));
    expect(callsTo('logout')[1]).toBe('Bearer an access token');
    // It was heard: there is nothing more to tell.
    window.dispatchEvent(new Event('online'));
    expect(state.result.current.status).toBe('signed-out');
    expect(callsTo('logout')).toHaveLength(2);
  },
);

test('without the client library a sign-out works as well, and no other page is signed in', async () => {
  const auth = await opened();
  const state = renderHook(() => auth.useAuth());
  expect(state.result.current.status).toBe('signed-in');
  vi.mocked(fetch).mockRejectedValue(new TypeError('Failed to fetch'));
  auth.signOut();
  vi.resetModules();
  const reloaded = await import('./auth');
  close.push(reloaded.startAuth());
  expect(renderHook(() => reloaded.useAuth()).result.current.status).toBe('signed-out');
});

test('a session whose access token has run out is renewed only to be ended', async () => {
  const auth = await opened(-60);
  vi.mocked(fetch).mockImplementation(async (url) =>
    String(url).includes('/token')
      ? new Response(session(3600).replace('an access token', 'a newer one'))
      : new Response(null, { status: 204 }),
  );
  auth.signOut();
  await vi.waitFor(() => expect(callsTo('logout')).toEqual(['Bearer a newer one']));
  expect(localStorage.getItem(KEY)).toBeNull();
});

test('a sign-out in another tab is seen here, whether or not that tab had the library', async () => {
  const auth = await opened();
  await auth.authClient();
  const state = renderHook(() => auth.useAuth());
  localStorage.removeItem(KEY);
  window.dispatchEvent(new StorageEvent('storage', { key: KEY, newValue: null }));
  await vi.waitFor(() => expect(state.result.current.status).toBe('signed-out'));
});
