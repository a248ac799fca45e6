/** What an account has besides its password, and what is asked of it after the first step. */
import type { Factor, GoTrueClient, User } from '@supabase/auth-js';
import { listMemberships, type Membership } from './api/memberships';
import { listPasskeys } from './api/passkeys';

/** The apps and phones that were set up to the end: a code answers each of them. */
export function codeFactorsOf(user: Pick<User, 'factors'> | null | undefined): readonly Factor[] {
  const all = user?.factors ?? [];
  const byCode: readonly string[] = ['totp', 'phone'];
  return all.filter((it) => it.status === 'verified' && byCode.includes(it.factor_type));
}

export function isPhone({ factor_type }: Factor): boolean {
  return factor_type === 'phone';
}

/** "…3210": enough of a number for its owner to know it. The library's type does not have it. */
export function endOfNumber(factor: Factor & { phone?: string }): string {
  return `…${(factor.phone ?? '').slice(-4)}`;
}

/** Until when staff may work without a second step; in the past for an account that has used one. */
export function graceEnd(memberships: readonly Membership[]): Date | undefined {
  const by = memberships.find((it) => it.secondFactorBy)?.secondFactorBy;
  const at = by ? new Date(by) : undefined;
  return at && !Number.isNaN(at.getTime()) ? at : undefined;
}

/** Whole days that are left, the last one included. */
export function daysLeft(until: Date, now: Date): number {
  return Math.max(0, Math.ceil((until.getTime() - now.getTime()) / 86_400_000));
}

/** Whether it cannot be put off any more. */
export function isOverdue(until: Date | undefined, now: Date): boolean {
  return until !== undefined && daysLeft(until, now) === 0;
}

/** Whether the account has a second step; one that cannot be asked for is none. */
export async function hasSecondStep(client: GoTrueClient): Promise<boolean> {
  const { data } = await client.mfa.getAuthenticatorAssuranceLevel();
  if (data?.nextLevel === 'aal2') return true;
  return (await orNone(listPasskeys())).length > 0;
}

export type NextStep =
  /** The session is as good as it gets. */
  | { name: 'none' }
  /** The account has a second step, and this session has not used it. */
  | { name: 'second-step'; factors: readonly Factor[] }
  /** Staff who have no second step. */
  | { name: 'set-up'; until: Date | undefined };

const NONE: NextStep = { name: 'none' };

/** A failed call does not end a sign-in: the server asks for what it needs by itself. */
async function orNone<T>(asked: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await asked;
  } catch {
    return [];
  }
}

/**
 * What is asked beyond the contract's own answer, which knows apps and security keys: nothing, of
 * staff whether they have a second step, or of everyone whether they have a passkey.
 */
export type Asked = 'nothing more' | 'of staff' | 'of everyone';

/** What a session still lacks. */
export async function nextStep(client: GoTrueClient, asked: Asked): Promise<NextStep> {
  const { data } = await client.mfa.getAuthenticatorAssuranceLevel();
  if (data?.currentLevel !== 'aal1') return NONE;
  const user = (await client.getSession()).data.session?.user;
  const factors = codeFactorsOf(user);
  if (data.nextLevel === 'aal2') return { name: 'second-step', factors };
  if (asked === 'nothing more') return NONE;
  const memberships = await orNone<Membership>(listMemberships());
  const isStaff = memberships.length > 0;
  if (!isStaff && asked === 'of staff') return NONE;
  const passkeys = await orNone(listPasskeys());
  if (passkeys.length > 0) return { name: 'second-step', factors };
  return isStaff ? { name: 'set-up', until: graceEnd(memberships) } : NONE;
}
