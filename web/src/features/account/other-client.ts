/**
 * Links whose client is not this site: it goes on with PKCE, or lives on another origin. The button of
 * our page redeems them as well, and then leads there with what the client needs.
 */
import { authUrl } from '@/lib/env';
import type { MailLink } from './auth-fragment';

type Answer = { data: { redirectTo: string } | undefined; error: Error | null };

/** Whether the link is to be handed to its client. */
export function isForOtherClient({ tokenHash, redirectTo }: MailLink, origin: string): boolean {
  if (tokenHash.startsWith('pkce_')) return true;
  try {
    return redirectTo !== '' && new URL(redirectTo).origin !== origin;
  } catch {
    return false;
  }
}

/** Redeems the link; the service says where to go, and never leads to a place that is not allowed. */
export async function redeemForOtherClient({ tokenHash, type }: MailLink): Promise<Answer> {
  const response = await fetch(`${authUrl()}/verify`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json;charset=UTF-8',
      'X-Supabase-Api-Version': '2024-01-01',
    },
    body: JSON.stringify({ type, token_hash: tokenHash, answer: 'redirect' }),
  });
  const body: unknown = await response.json();
  const fields = typeof body === 'object' && body !== null ? body : {};
  if (response.ok && 'redirect_to' in fields && typeof fields.redirect_to === 'string') {
    return { data: { redirectTo: fields.redirect_to }, error: null };
  }
  const { message = '', code = '' } = fields as { message?: string; code?: string };
  const error = Object.assign(new Error(message), { code, status: response.status });
  return { data: undefined, error };
}
