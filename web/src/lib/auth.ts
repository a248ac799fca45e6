/**
 * Who is signed in. auth-js is loaded only when there is a stored session, when the address holds
 * an answer of the identity service, or when a form needs it, so that other visitors never load it.
 */

import type { GoTrueClient, Session } from '@supabase/auth-js';
import { useSyncExternalStore } from 'react';
import { authUrl } from './env';
import { whenIdle } from './idle';
import { importWithRetry } from './import-with-retry';

export type AuthUser = {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  phone: string;
};

export type AuthState =
  | { status: 'unknown'; user: undefined }
  | { status: 'signed-out'; user: undefined }
  | { status: 'signed-in'; user: AuthUser };

/** The key under which auth-js keeps the session by default. */
export const SESSION_KEY = 'supabase.auth.token';

const UNKNOWN: AuthState = { status: 'unknown', user: undefined };
const SIGNED_OUT: AuthState = { status: 'signed-out', user: undefined };

let state: AuthState = UNKNOWN;
let pending: Promise<GoTrueClient> | undefined;
const listeners = new Set<() => void>();

function publish(next: AuthState): void {
  state = next;
  for (const listener of listeners) listener();
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function toState(session: Pick<Session, 'user'> | null): AuthState {
  const user = session?.user;
  if (!user) return SIGNED_OUT;
  const names = user.user_metadata ?? {};
  return {
    status: 'signed-in',
    user: {
      id: user.id,
      email: text(user.email),
      firstName: text(names.firstName) || text(names.first_name),
      lastName: text(names.lastName) || text(names.last_name),
      phone: text(user.phone) || text(names.phone),
    },
  };
}

function storedSession(): Session | null {
  try {
    const stored = JSON.parse(localStorage.getItem(SESSION_KEY) ?? 'null') as Session | null;
    return stored?.access_token && stored.user ? stored : null;
  } catch {
    return null;
  }
}

function addressHoldsAnswer(): boolean {
  return /[#&](access_token|error_code)=/.test(window.location.hash);
}

/** Comes with auth-js, so that a sign-out without a connection has it. */
const ending = () => importWithRetry(() => import('./end-session'));

async function createClient(): Promise<GoTrueClient> {
  const [{ GoTrueClient }, { fetchWithWork }] = await Promise.all([
    importWithRetry(() => import('@supabase/auth-js')),
    importWithRetry(() => import('./work')),
    ending(),
  ]);
  const send = fetchWithWork((input, init) => fetch(input, init));
  const client = new GoTrueClient({ url: authUrl(), autoRefreshToken: true, fetch: send });
  client.onAuthStateChange((_event, session) => publish(toState(session)));
  return client;
}

/** The identity client, loaded on first use. Everything of auth-js is reached through it. */
export function authClient(): Promise<GoTrueClient> {
  pending ??= createClient().catch((error: unknown) => {
    pending = undefined;
    throw error;
  });
  return pending;
}

/** The current access token, refreshed where needed, or null for a visitor. */
export async function accessToken(): Promise<string | null> {
  if (!pending && !storedSession()) return null;
  const { data } = await (await authClient()).getSession();
  return data.session?.access_token ?? null;
}

function forgetSession(): void {
  try {
    localStorage.removeItem(SESSION_KEY);
  } catch {
    // Where nothing can be removed, nothing could be stored.
  }
}

/**
 * Ends the session in this browser at once, whatever the network does, and then at the service.
 * auth-js asks the service first and keeps the session when no answer comes, so the stored session is
 * removed before: auth-js finds none, and only notifies its listeners and the other tabs.
 */
export function signOut(): void {
  const session = storedSession();
  forgetSession();
  publish(SIGNED_OUT);
  void pending?.then(
    (client) => client.signOut({ scope: 'local' }),
    () => undefined,
  );
  if (!session) return;
  void ending().then(
    ({ endSession }) => endSession(session),
    () => undefined,
  );
}

/** Reads the stored session, and loads auth-js when the page is idle and there is one. */
export function startAuth(): () => void {
  publish(toState(storedSession()));
  const wake = () => {
    void authClient().catch(() => {
      // Offline: the stored session is kept until a call needs a token and fails with a message.
    });
  };
  const onStorage = (event: StorageEvent) => {
    if (event.key !== SESSION_KEY) return;
    // Once it is loaded, auth-js reports changes; a sign-out may come from a tab without it.
    if (!pending || event.newValue === null) publish(toState(storedSession()));
  };
  window.addEventListener('storage', onStorage);
  let cancel: (() => void) | undefined;
  if (addressHoldsAnswer()) wake();
  else if (state.status === 'signed-in') cancel = whenIdle(wake);
  return () => {
    cancel?.();
    window.removeEventListener('storage', onStorage);
  };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The state of sign-in; "unknown" in prerendered HTML and until the browser has looked. */
export function useAuth(): AuthState {
  return useSyncExternalStore(
    subscribe,
    () => state,
    () => UNKNOWN,
  );
}
