/** Redeems the code of a mail, typed or brought by its link. */
import type { AuthResponse, GoTrueClient, VerifyOtpParams } from '@supabase/auth-js';
import type { LinkType } from './auth-fragment';
import { readSignUpSecret } from './sign-up-secret';

export type ShownCode =
  | { email: string; token: string; type: 'signup' | 'recovery' | 'email' | 'email_change' }
  | { token_hash: string; type: LinkType };

/** Codes that prove the address of an account that this browser may have made. */
const PROOFS: readonly string[] = ['signup', 'email', 'magiclink'];

/** auth-js sends on what it does not know; the session of this browser goes along (service-fetch). */
export async function redeem(client: GoTrueClient, code: ShownCode): Promise<AuthResponse> {
  // A session that has run out is renewed first.
  if (code.type === 'email_change') await client.getSession();
  const secret = PROOFS.includes(code.type) ? readSignUpSecret() : undefined;
  const shown = secret ? { ...code, sign_up_secret: secret } : code;
  return client.verifyOtp(shown as VerifyOtpParams);
}

/** The service has forgotten the account's password, because it may have been a stranger's. */
export function passwordNeeded({ session }: AuthResponse['data']): boolean {
  return !!session && 'password_needed' in session && session.password_needed === true;
}
