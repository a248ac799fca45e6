/**
 * Where a session is kept: the access token in memory, the refresh token in a cookie of the gateway
 * that no script can read. Storage holds only a mark, so that visitors without a session ask for
 * none. auth-js gets it all as its storage. Tabs tell each other that something has changed, and
 * each asks the service for itself: other scripts of the site hear the channel, too.
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
/** Another tab has told of a change, and this one has not heard from the service since. */
let asking = false;
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

/** All that is told: that there is a session, which may be another or have changed, or none. */
type Word = 'refreshed' | 'ended';

function tell(word: Word): void {
  channel?.postMessage(word);
}

/** What a token says of its session. */
function claims(token: string): { session_id?: string; aal?: string } {
  try {
    const part = token.split('.')[1] ?? '';
    return JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return {};
  }
}

/** What other tabs have to ask for when it changes; a renewal alone leaves it as it is. */
function essence(text: string | null): string | undefined {
  const session = parsed(text);
  if (!session?.user) return undefined;
  const { session_id, aal } = claims(session.access_token);
  const { id, email, phone, user_metadata } = session.user;
  return JSON.stringify([id, email, phone, user_metadata, session_id, aal]);
}

/** Another tab has a session: what is held here is renewed before it is used again. */
function holdStale(): void {
  const session = parsed(held) ?? toBeRenewed(IN_COOKIE);
  held = JSON.stringify({ ...session, refresh_token: IN_COOKIE, expires_at: 1 });
  asking = true;
}

/**
 * Hears of the sessions of other tabs, and calls `onChange` with whether to ask the service.
 * Returns whether this browser can.
 */
export function shareSessions(onChange: (toAsk: boolean) => void): boolean {
  if (typeof BroadcastChannel === 'undefined') return false;
  try {
    channel ??= new BroadcastChannel(SESSION_MARK);
  } catch {
    // A browser that keeps nothing for sites may refuse this as well.
    return false;
  }
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    // Whatever else is said there, also by a page of an earlier release, may be a change.
    const isEnd: boolean = data === ('ended' satisfies Word) || data === null;
    if (isEnd) forgetSession();
    else holdStale();
    onChange(!isEnd);
  };
  return true;
}

/** A page that is closed hears nothing more. */
export function stopSharing(): void {
  channel?.close();
  channel = undefined;
}

/** Another tab has signed out, or may have. */
export function forgetSession(): void {
  held = null;
  asking = false;
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
  tell('ended');
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
    const before = essence(held);
    // A load goes on with the session that others have.
    const isKnown = before === undefined ? markIs('open') : before === essence(value);
    const isNews = !asking && !isKnown;
    asking = false;
    held = value;
    ending.abort();
    write(SESSION_MARK, 'open');
    write(SESSION_KEY, null);
    if (isNews) tell('refreshed');
  },
  removeItem: (key) => {
    if (key !== SESSION_KEY) return write(key, null);
    held = null;
    write(SESSION_KEY, null);
    if (markIs('open')) write(SESSION_MARK, null);
    asking = false;
    tell('ended');
  },
};
