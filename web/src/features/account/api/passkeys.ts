/** The passkeys of an account, below our own paths; the code that asks the browser comes later. */
import type { Session } from '@supabase/auth-js';
import { importWithRetry } from '@/lib/import-with-retry';
import { IdentityError, identityCall } from './identity-calls';

export type Passkey = {
  id: string;
  friendly_name: string;
  created_at: string;
  last_used_at: string | null;
};

type Challenge<Options> = { challenge_id: string; options: Options };

export type RequestChallenge = Challenge<PublicKeyCredentialRequestOptionsJSON>;

export const ceremony = () => importWithRetry(() => import('../webauthn'));

/** A refusal that means something else with passkeys than with passwords. */
async function renamed<T>(asked: Promise<T>, code: string, instead: string): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof IdentityError) || error.code !== code) throw error;
    throw new IdentityError(error.message, instead, error.status);
  }
}

export async function listPasskeys(): Promise<readonly Passkey[]> {
  return (await identityCall<Passkey[] | undefined>('GET', 'passkeys')) ?? [];
}

/** Asks the browser for a new passkey and gives it to the account. */
export async function addPasskey(name: string): Promise<void> {
  type Options = Challenge<PublicKeyCredentialCreationOptionsJSON>;
  const { createPasskey } = await ceremony();
  const asked = await identityCall<Options>('POST', 'passkeys/registration/options', {});
  const credential = await createPasskey(asked.options);
  const { challenge_id } = asked;
  const made = { challenge_id, credential, friendly_name: name };
  await identityCall('POST', 'passkeys/registration', made);
}

export async function renamePasskey(id: string, name: string): Promise<void> {
  await identityCall('PATCH', `passkeys/${encodeURIComponent(id)}`, { friendly_name: name });
}

export async function removePasskey(id: string): Promise<void> {
  await identityCall('DELETE', `passkeys/${encodeURIComponent(id)}`);
}

export function askChallenge(): Promise<RequestChallenge> {
  return identityCall('POST', 'passkeys/authentication/options', {});
}

/** Shows what the browser signed; the session that it opens is not this browser's yet. */
export function showPasskey(challengeId: string, credential: object): Promise<Session> {
  const shown = { challenge_id: challengeId, credential };
  const asked = identityCall<Session>('POST', 'passkeys/authentication', shown);
  return renamed(asked, 'invalid_credentials', 'passkey_unknown');
}

/** Asks for a passkey in the browser's own window. */
export async function openWithPasskey(): Promise<Session> {
  const { askForPasskey } = await ceremony();
  const { challenge_id, options } = await askChallenge();
  return showPasskey(challenge_id, await askForPasskey(options));
}
