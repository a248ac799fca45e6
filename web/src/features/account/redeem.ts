/** Redeems the code of a mail, typed or brought by its link. */
import type { AuthResponse, GoTrueClient, VerifyOtpParams } from '@supabase/auth-js';
import { readSignUpSecret } from './sign-up-secret';

export type ShownCode =
  | { email: string; token: string; type: 'signup' | 'recovery' }
  | { token_hash: string; type: 'signup' | 'recovery' };

/** auth-js sends on what it does not know. */
export function redeem(client: GoTrueClient, code: ShownCode): Promise<AuthResponse> {
  const secret = code.type === 'signup' ? readSignUpSecret() : undefined;
  const shown = secret ? { ...code, sign_up_secret: secret } : code;
  return client.verifyOtp(shown as VerifyOtpParams);
}

/** The service has forgotten the account's password, because it may have been a stranger's. */
export function passwordNeeded({ session }: AuthResponse['data']): boolean {
  return !!session && 'password_needed' in session && session.password_needed === true;
}
