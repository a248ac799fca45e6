/**
 * Who is signed in. auth-js is loaded only when there is a session or when a form needs it, so that
 * other visitors never load it. What it keeps, and where: lib/session-store.
 */

import type { GoTrueClient, Session } from '@supabase/auth-js';
import { useSyncExternalStore } from 'react';
import { authUrl } from './env';
import { importWithRetry } from './import-with-retry';
import { draftsOwner, forgetPerson, setDraftsOwner } from './personal-state';
import {
  closeSession,
  forgetSession,
  heldSession,
  isOpen,
  leftToEnd,
  SESSION_MARK,
  sessionStore,
  shareSessions,
  stopSharing,
  type Tokens,
} from './session-store';

export type AuthUser = {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  phone: string;
};

export type AuthState =
  /** With `returning` there is a session, and the page waits for the answer that says whose. */
  | { status: 'unknown'; user: undefined; returning?: true }
  | { status: 'signed-out'; user: undefined }
  | { status: 'signed-in'; user: AuthUser };

const UNKNOWN: AuthState = { status: 'unknown', user: undefined };
const RETURNING: AuthState = { status: 'unknown', user: undefined, returning: true };
const SIGNED_OUT: AuthState = { status: 'signed-out', user: undefined };

let state: AuthState = UNKNOWN;
let pending: Promise<GoTrueClient> | undefined;
const listeners = new Set<() => void>();

/** Whether what this tab keeps is of a person who is not the one that is signed in now. */
function hasChanged(before: AuthState, next: AuthState): boolean {
  const owner = before.user?.id ?? draftsOwner();
  if (next.status === 'signed-in') return owner !== null && owner !== next.user.id;
  if (next.status !== 'signed-out') return false;
  return owner !== null || (before.status === 'unknown' && before.returning === true);
}

function publish(next: AuthState): void {
  const changed = hasChanged(state, next);
  state = next;
  if (changed) forgetPerson();
  if (next.status === 'signed-in') setDraftsOwner(next.user.id);
  for (const listener of listeners) listener();
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function toState({ user }: Pick<Session, 'user'>): AuthState {
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

/** What this page knows now. */
function publishHeld(): void {
  const session = heldSession();
  if (session) publish(toState(session));
  else publish(isOpen() ? RETURNING : SIGNED_OUT);
}

/** Comes with auth-js, so that a sign-out without a connection has it. */
const ending = () => importWithRetry(() => import('./end-session'));

async function createClient(): Promise<GoTrueClient> {
  const [{ GoTrueClient }, { serviceFetch }] = await Promise.all([
    importWithRetry(() => import('@supabase/auth-js')),
    importWithRetry(() => import('./service-fetch')),
    ending(),
  ]);
  shareSessions(onOtherTab);
  /** auth-js would send each session, with its tokens, to every script of the site. */
  class QuietClient extends GoTrueClient {
    constructor(options: ConstructorParameters<typeof GoTrueClient>[0]) {
      super(options);
      this.broadcastChannel?.close();
      this.broadcastChannel = null;
    }
  }
  const client = new QuietClient({
    url: authUrl(),
    autoRefreshToken: true,
    // A link could sign a visitor in as another person.
    detectSessionInUrl: false,
    storage: sessionStore,
    fetch: serviceFetch,
  });
  client.onAuthStateChange(publishHeld);
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

/**
 * The current access token, renewed where needed, or null for a visitor.
 *
 * Throws when there is a session and the service cannot continue it now.
 */
export async function accessToken(): Promise<string | null> {
  if (!pending && !isOpen()) return null;
  const { data, error } = await (await authClient()).getSession();
  if (error && isOpen()) throw error;
  return data.session?.access_token ?? null;
}

function endAtService(tokens: Tokens): void {
  void ending().then(
    ({ endSession }) => endSession(tokens),
    () => undefined,
  );
}

/**
 * Ends the session in this browser at once, whatever the network does, and then at the service.
 * auth-js has no part in it: it asks the service first, keeps the session when no answer comes, and
 * may do so late enough to end the next session. Only the gateway can remove the cookie: until it
 * has, the mark keeps our pages from using it. What a link has opened stays for a person who goes
 * on as another account; with `links`, that goes too.
 */
export function signOut(links: 'links' | 'no links' = 'no links'): void {
  const tokens = closeSession();
  publish(SIGNED_OUT);
  forgetPerson(links);
  if (tokens) endAtService(tokens);
}

/** Loads auth-js, which renews the session. */
function wake(): void {
  void authClient()
    .then((client) => client.getSession())
    .catch(() => {
      // Offline: a call that needs a token tries again, and fails with a message.
    });
}

/** Another tab has told of its session; what it is comes from the service alone. */
function onOtherTab(toAsk: boolean): void {
  publishHeld();
  if (toAsk) wake();
}

/** Another tab signed in or out, or the browser has forgotten what it kept. */
function onStorage({ key, newValue }: StorageEvent): void {
  if (key !== SESSION_MARK && key !== null) return;
  if (newValue !== 'open') forgetSession();
  publishHeld();
  // With auth-js, the other tab's word comes by itself.
  if (state === RETURNING && !(pending && shareSessions(onOtherTab))) wake();
}

/** A page that comes back from the browser's memory has missed what other tabs did. */
function onShow({ persisted }: PageTransitionEvent): void {
  if (!persisted) return;
  forgetSession();
  publishHeld();
  if (state === RETURNING) wake();
}

/** Continues the session of this browser, if there is one, or ends what could not be ended yet. */
export function startAuth(): () => void {
  publishHeld();
  if (pending) shareSessions(onOtherTab);
  window.addEventListener('storage', onStorage);
  window.addEventListener('pageshow', onShow);
  const left = leftToEnd();
  if (left) endAtService(left);
  else if (state === RETURNING) wake();
  return () => {
    window.removeEventListener('storage', onStorage);
    window.removeEventListener('pageshow', onShow);
    stopSharing();
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
