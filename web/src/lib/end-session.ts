/**
 * Ends a session at the identity service, again and again until the service has answered. The
 * tokens are held in memory only: a browser that keeps them could be signed in again with them.
 */
import { deviceMs } from './clock';
import { cookieFetch, isBusy } from './cookie-fetch';
import { authUrl } from './env';
import { endingSignal, isEnding, sessionEnded, type Tokens } from './session-store';
import { wait } from './wait';

/** How long to wait before each further attempt; a connection that comes back ends the wait. */
const AGAIN_AFTER_MS = [2_000, 10_000, 60_000, 300_000];

/** A token that ends so soon is not sent. */
const MARGIN_MS = 5_000;

const JSON_TYPE = { 'content-type': 'application/json' };

/** Whether the session goes on with tokens that are good now; none when it has ended. */
async function renewed(tokens: Tokens): Promise<Tokens | undefined> {
  if ((tokens.expires_at ?? 0) * 1000 > deviceMs() + MARGIN_MS) return tokens;
  // The cookie is another session's after a new sign-in.
  if (!isEnding()) return undefined;
  const answer = await cookieFetch(`${authUrl()}/token?grant_type=refresh_token`, {
    method: 'POST',
    headers: JSON_TYPE,
    signal: endingSignal(),
    body: JSON.stringify({ refresh_token: tokens.refresh_token }),
  });
  if (isBusy(answer)) throw new Error('The identity service is busy.');
  if (!answer.ok) return undefined;
  const { access_token, refresh_token, expires_in } = (await answer.json()) as Tokens & {
    expires_in: number;
  };
  return { access_token, refresh_token, expires_at: deviceMs() / 1000 + expires_in };
}

/** The gateway removes the cookie, unless a new session is in it. */
function logout(token: string): Promise<Response> {
  const url = `${authUrl()}/logout?scope=local`;
  const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` };
  const init = { method: 'POST', headers, keepalive: true };
  return isEnding() ? cookieFetch(url, { ...init, signal: endingSignal() }) : fetch(url, init);
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
    // Refusals other than these mean that there is no such session any more.
    return isBusy(await logout(good.access_token)) ? good : undefined;
  } catch {
    return good;
  }
}

/** Ends the session at the service; gives up after the last attempt, and never throws. */
export async function endSession(session: Tokens): Promise<void> {
  let left = await attempt(session);
  for (const pause of AGAIN_AFTER_MS) {
    if (!left) break;
    await untilAgain(pause);
    left = await attempt(left);
  }
  // Otherwise the next page tries again.
  if (!left) sessionEnded();
}
