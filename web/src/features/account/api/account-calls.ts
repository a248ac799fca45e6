/** Recovery codes, sessions and providers: calls of our own. */
import type { Session } from '@supabase/auth-js';
import { IdentityError, identityCall } from './identity-calls';

export type DeviceSession = {
  id: string;
  created_at: string;
  last_used_at: string | null;
  /** "Chrome on Android", or empty where nothing is known. */
  device: string;
  /** The network's address, shortened. */
  network: string;
  /** The session of this browser. */
  current: boolean;
};

/** Mails a code that proves that it is the owner of the account's address. */
export async function askForNonce(): Promise<void> {
  await identityCall('POST', 'reauthenticate', {});
}

/** Redeems it for this session. */
export async function showNonce(nonce: string): Promise<void> {
  await identityCall('POST', 'reauthenticate/verify', { nonce });
}

/** New recovery codes; the ones before them end. They are shown this once. */
export async function makeRecoveryCodes(): Promise<readonly string[]> {
  return (await identityCall<{ codes: string[] }>('POST', 'factors/recovery-codes', {})).codes;
}

/** How many recovery codes are left, or nothing where the service does not say. */
export async function recoveryCodesLeft(): Promise<number | null> {
  try {
    const answer = await identityCall<{ remaining?: number }>('GET', 'factors/recovery-codes');
    return answer?.remaining ?? null;
  } catch (error) {
    const unsaid = error instanceof IdentityError && [404, 405].includes(error.status);
    if (unsaid) return null;
    throw error;
  }
}

/** Raises the session with one of the codes, for an account that has lost its second step. */
export function showRecoveryCode(code: string): Promise<Session> {
  return identityCall('POST', 'factors/recovery-codes/verify', { code });
}

export async function listSessions(): Promise<readonly DeviceSession[]> {
  type Listed = { sessions: DeviceSession[] } | undefined;
  return (await identityCall<Listed>('GET', 'sessions'))?.sessions ?? [];
}

export async function endDevice(id: string): Promise<void> {
  await identityCall('DELETE', `sessions/${encodeURIComponent(id)}`);
}

/** Other services that a person can sign in with, by the names that people know. */
const PROVIDER_NAMES = {
  google: 'Google',
  apple: 'Apple',
  azure: 'Microsoft',
  facebook: 'Facebook',
  github: 'GitHub',
  linkedin_oidc: 'LinkedIn',
} as const;

export type ProviderId = keyof typeof PROVIDER_NAMES;
export type ProviderOffer = { id: ProviderId; name: string };

/** The services that the settings switch on, and that people know. */
export async function offeredProviders(): Promise<readonly ProviderOffer[]> {
  type Settings = { external?: Record<string, boolean> } | undefined;
  const { external = {} } = (await identityCall<Settings>('GET', 'settings')) ?? {};
  const ids = Object.keys(PROVIDER_NAMES) as ProviderId[];
  return ids.filter((id) => external[id] === true).map((id) => ({ id, name: PROVIDER_NAMES[id] }));
}
