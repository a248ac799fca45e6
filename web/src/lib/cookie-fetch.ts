/**
 * Calls the identity service so that the refresh token stays in the gateway's cookie: the answer
 * has a placeholder in its place.
 */
import { clockedFetch } from './clock';
import { refreshSignal } from './session-store';

/** What the service says when it cannot answer now. */
export function isBusy({ status }: Response): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** A page that is left lets its call go on, so that the browser gets the cookie of the answer. */
export const cookieFetch: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('x-session-transport', 'cookie');
  const request = { ...init, headers, keepalive: init?.method === 'POST' };
  if (!String(input).includes('grant_type=refresh_token')) return clockedFetch(input, request);
  const answer = await clockedFetch(input, { signal: refreshSignal(), ...request });
  if (!isBusy(answer)) return answer;
  // auth-js takes other statuses for the end of the session; with this one it tries again.
  return new Response(answer.body, { status: 503, headers: answer.headers });
};
