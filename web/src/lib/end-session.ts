/**
 * Ends a session at the identity service, again and again until the service has answered. The
 * tokens are held in memory only: a browser that keeps them could be signed in again with them.
 */
import type { Session } from '@supabase/auth-js';
import { authUrl } from './env';
import { wait } from './wait';

type Tokens = Pick<Session, 'access_token' | 'refresh_token' | 'expires_at'>;

/** How long to wait before each further attempt; a connection that comes back ends the wait. */
const AGAIN_AFTER_MS = [2_000, 10_000, 60_000, 300_000];

/** A token that ends so soon is not sent. */
const MARGIN_MS = 5_000;

/** What the service says when it cannot answer now. */
function isBusy({ status }: Response): boolean {
  return status === 429 || status >= 500;
}

/** Goes on when the page is left. */
function post(path: string, init: RequestInit): Promise<Response> {
  return fetch(`${authUrl()}/${path}`, { method: 'POST', keepalive: true, ...init });
}

/** Whether the session goes on with tokens that are good now; none when it has ended. */
async function renewed(tokens: Tokens): Promise<Tokens | undefined> {
  if ((tokens.expires_at ?? 0) * 1000 > Date.now() + MARGIN_MS) return tokens;
  const answer = await post('token?grant_type=refresh_token', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ refresh_token: tokens.refresh_token }),
  });
  if (isBusy(answer)) throw new Error('The identity service is busy.');
  return answer.ok ? ((await answer.json()) as Tokens) : undefined;
}

/** Resolves after a while, or as soon as the connection is back. */
function untilAgain(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      window.removeEventListener('online', go);
      resolve();
    };
    window.addEventListener('online', go);
    void wait(milliseconds).then(go);
  });
}

/** One attempt. Its answer is what is still to be ended, or nothing. */
async function attempt(tokens: Tokens): Promise<Tokens | undefined> {
  let good: Tokens | undefined = tokens;
  try {
    good = await renewed(tokens);
    if (!good) return undefined;
    const headers = { authorization: `Bearer ${good.access_token}` };
    // Refusals other than these mean that there is no such session any more.
    return isBusy(await post('logout?scope=local', { headers })) ? good : undefined;
  } catch {
    return good;
  }
}

/** Ends the session at the service; gives up after the last attempt, and never throws. */
export async function endSession(session: Tokens): Promise<void> {
  let left = await attempt(session);
  for (const pause of AGAIN_AFTER_MS) {
    if (!left) return;
    await untilAgain(pause);
    left = await attempt(left);
  }
}
