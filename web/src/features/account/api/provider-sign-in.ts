/**
 * Signing in through another service, with PKCE: the way back brings a code that only this tab can
 * redeem. Neither a link nor another page can sign this browser in.
 */
import type { Session } from '@supabase/auth-js';
import { authUrl } from '@/lib/env';
import { readTab, writeTab } from '@/lib/tab-storage';
import type { ProviderId } from './account-calls';
import { IdentityError, identityCall } from './identity-calls';
import { takeSession } from './take-session';

const KEY = 'providerVerifier';
const VERIFIER_BYTES = 32;

function toText(bytes: Uint8Array): string {
  const signs = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(signs).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

async function challengeOf(verifier: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return toText(new Uint8Array(hash));
}

/** Leaves the site for the other service, which leads back to `redirectTo`. */
export async function leaveForProvider(provider: ProviderId, redirectTo: string): Promise<void> {
  const verifier = toText(crypto.getRandomValues(new Uint8Array(VERIFIER_BYTES)));
  const query = new URLSearchParams({
    provider,
    redirect_to: redirectTo,
    code_challenge: await challengeOf(verifier),
    code_challenge_method: 's256',
  });
  writeTab(KEY, verifier);
  window.location.assign(`${authUrl()}/authorize?${query}`);
}

/** The code of the way back, taken out of the address; nothing where there is none. */
export function takeCode(): string | undefined {
  const url = new URL(window.location.href);
  const code = url.searchParams.get('code');
  if (!code) return undefined;
  url.searchParams.delete('code');
  window.history.replaceState(window.history.state, '', url);
  return code;
}

/** Opens the session that the code stands for. */
export async function redeemCode(code: string): Promise<void> {
  const verifier = readTab(KEY);
  writeTab(KEY, null);
  if (!verifier) throw new IdentityError('The way began elsewhere.', 'bad_code_verifier', 400);
  const shown = { auth_code: code, code_verifier: verifier };
  await takeSession(await identityCall<Session>('POST', 'token?grant_type=pkce', shown));
}
