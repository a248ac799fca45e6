/** How auth-js calls the identity service: with the cookie, and with the work that it asks for. */
import { cookieFetch } from './cookie-fetch';
import { heldSession } from './session-store';
import { fetchWithWork } from './work';

/**
 * A change of address is redeemed by a session of its account, and auth-js sends none with a code.
 */
const asPerson: typeof fetch = (input, init) => {
  const token = heldSession()?.access_token;
  if (!token || !String(input).endsWith('/verify')) return cookieFetch(input, init);
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${token}`);
  return cookieFetch(input, { ...init, headers });
};

export const serviceFetch = fetchWithWork(asPerson);
