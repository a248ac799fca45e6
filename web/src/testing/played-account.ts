/** The account of a test: its client library and `lib/auth` as a test plays them. */
import { vi } from 'vitest';
import { IdentityServer } from './identity-server';

export const identity = {
  getUser: vi.fn(),
  getSession: vi.fn(),
  updateUser: vi.fn(),
  reauthenticate: vi.fn(),
  verifyOtp: vi.fn(),
  resend: vi.fn(),
  signOut: vi.fn(),
  refreshSession: vi.fn(),
  mfa: {
    getAuthenticatorAssuranceLevel: vi.fn(),
    listFactors: vi.fn(),
    enroll: vi.fn(),
    challengeAndVerify: vi.fn(),
    unenroll: vi.fn(),
  },
};

export const auth = { signedIn: true, signedOut: 0 };

export const OK = { data: {}, error: null };

const USER = {
  id: 'u1',
  email: 'asha@example.org',
  user_metadata: { firstName: 'Asha', lastName: 'Rao', phone: '98765 43210' },
  app_metadata: {},
  factors: [] as object[],
  created_at: '2026-11-01T05:30:00Z',
};

/** An authenticator app that was set up to the end. */
export const APP = {
  id: 'f1',
  friendly_name: 'My app',
  factor_type: 'totp',
  status: 'verified',
  created_at: '2026-11-20T05:30:00Z',
};

/** A phone that gets codes. */
export const PHONE = {
  id: 'f3',
  factor_type: 'phone',
  status: 'verified',
  phone: '919876543210',
  created_at: '2026-11-20T05:30:00Z',
};

/** The call that says whether the account is one of staff. */
export const MEMBERSHIPS = 'POST booking.v1.OrganisationService/ListMyMemberships';

/** What takes the place of `lib/auth`. */
export function playedAuth() {
  const user = { id: USER.id, email: USER.email };
  return {
    authClient: async () => identity,
    accessToken: async () => 'token',
    useAuth: () =>
      auth.signedIn ? { status: 'signed-in', user } : { status: 'signed-out', user: undefined },
    signOut: () => {
      auth.signedOut += 1;
    },
  };
}

/** From now on the account differs from the usual one in this. */
export function isUser(different: object): void {
  const user = { ...USER, ...different };
  identity.getUser.mockResolvedValue({ data: { user }, error: null });
  identity.getSession.mockResolvedValue({ data: { session: { user } } });
}

/** What the session has proved, and what it could. */
export function hasLevel(currentLevel: string, nextLevel = currentLevel): void {
  const data = { currentLevel, nextLevel, currentAuthenticationMethods: [] };
  identity.mfa.getAuthenticatorAssuranceLevel.mockResolvedValue({ data, error: null });
}

/** Begins a test with an account that has nothing but a password. */
export function startAccount(): IdentityServer {
  const { mfa, ...rest } = identity;
  for (const call of [...Object.values(rest), ...Object.values(mfa)]) call.mockReset();
  auth.signedIn = true;
  auth.signedOut = 0;
  isUser({});
  hasLevel('aal1');
  return new IdentityServer()
    .start()
    .on('GET passkeys', { body: [] })
    .on('GET sessions', { body: { sessions: [] } })
    .on('GET factors/recovery-codes', { body: { remaining: 0 } })
    .on(MEMBERSHIPS, { body: {} });
}
