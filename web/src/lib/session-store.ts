/**
 * Where a session is kept: the access token in memory, the refresh token in a cookie of the gateway
 * that no script can read. Storage holds only a mark, so that visitors without a session ask for
 * none. auth-js gets it all as its storage.
 */
import type { Session, SupportedStorage } from '@supabase/auth-js';

/** The key under which auth-js keeps the session; older pages left it there, in storage. */
export const SESSION_KEY = 'supabase.auth.token';

/**
 * `open` when the cookie may hold a session, `ending` when a sign-out has not been heard by the
 * service yet, else absent. It is no secret.
 */
export const SESSION_MARK = 'session';

/** What the gateway hands out in place of a refresh token. */
const IN_COOKIE = 'kept-in-a-cookie';

type Mark = 'open' | 'ending';
export type Tokens = Pick<Session, 'access_token' | 'refresh_token' | 'expires_at'>;

/** What auth-js stored last, as text. */
let held: string | null = null;
let channel: BroadcastChannel | undefined;
/** Aborted by a new sign-in: the answer to the sign-out before it would remove its cookie. */
let ending = new AbortController();
/** Aborted by a sign-out: a late answer to a refresh would bring the session back. */
let refreshing = new AbortController();
/** Where storage is refused, this page alone remembers. */
const refused = new Map<string, string>();

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return refused.get(key) ?? null;
  }
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    if (value === null) refused.delete(key);
    else refused.set(key, value);
  }
}

function parsed(text: string | null): Session | null {
  try {
    return JSON.parse(text ?? 'null') as Session | null;
  } catch {
    return null;
  }
}

function markIs(mark: Mark): boolean {
  return read(SESSION_MARK) === mark;
}

/**
 * A session that has run out, so that it is renewed before it is used: by the cookie, or once by
 * the refresh token that an older page left in storage.
 */
function toBeRenewed(refresh_token: string) {
  const none = { access_token: '', expires_in: 0, token_type: 'bearer', user: null };
  return { ...none, refresh_token, expires_at: 1 };
}

/** What a page finds after its load. */
function found(): string | null {
  const left = parsed(read(SESSION_KEY))?.refresh_token;
  const token = left || (markIs('open') ? IN_COOKIE : undefined);
  return token ? JSON.stringify(toBeRenewed(token)) : null;
}

/** The session with its access token, if this page has one. */
export function heldSession(): Session | null {
  const session = parsed(held);
  return session?.access_token && session.user ? session : null;
}

/** Whether there is a session, as far as this browser knows; its access token may be to come. */
export function isOpen(): boolean {
  return held !== null || found() !== null;
}

/** Whether a sign-out is still to be told to the service. */
export function isEnding(): boolean {
  return markIs('ending');
}

function tell(session: string | null): void {
  channel?.postMessage(session);
}

/** Hears of the sessions of other tabs. Returns whether this browser can. */
export function shareSessions(onChange: () => void): boolean {
  if (typeof BroadcastChannel === 'undefined') return false;
  channel ??= new BroadcastChannel(SESSION_MARK);
  channel.onmessage = ({ data }: MessageEvent<string | null>) => {
    if (data === null) forgetSession();
    held = data;
    onChange();
  };
  return true;
}

/** Another tab has signed out, or may have. */
export function forgetSession(): void {
  held = null;
  refreshing.abort();
  refreshing = new AbortController();
}

/** Ends a refresh as soon as its session is closed. */
export function refreshSignal(): AbortSignal {
  return refreshing.signal;
}

/** Ends the session in this browser, in all tabs. Returns what is to be ended at the service. */
export function closeSession(): Tokens | null {
  const session = heldSession() ?? parsed(read(SESSION_KEY)) ?? parsed(held) ?? parsed(found());
  forgetSession();
  write(SESSION_KEY, null);
  ending = new AbortController();
  if (session) write(SESSION_MARK, 'ending');
  tell(null);
  return session;
}

/** What a page before this one could not end. */
export function leftToEnd(): Tokens | null {
  return isEnding() ? toBeRenewed(IN_COOKIE) : null;
}

/** Ends the calls of a sign-out as soon as there is a new session. */
export function endingSignal(): AbortSignal {
  return ending.signal;
}

/** The service has heard the sign-out. */
export function sessionEnded(): void {
  if (isEnding()) write(SESSION_MARK, null);
}

/** What auth-js uses as its storage. */
export const sessionStore: SupportedStorage = {
  getItem: (key) => {
    // The verifier of a sign-in by a provider is needed after the way there and back.
    if (key !== SESSION_KEY) return read(key);
    held ??= found();
    return held;
  },
  setItem: (key, value) => {
    if (key !== SESSION_KEY) return write(key, value);
    held = value;
    ending.abort();
    write(SESSION_MARK, 'open');
    write(SESSION_KEY, null);
    tell(value);
  },
  removeItem: (key) => {
    if (key !== SESSION_KEY) return write(key, null);
    held = null;
    write(SESSION_KEY, null);
    if (markIs('open')) write(SESSION_MARK, null);
    tell(null);
  },
};
