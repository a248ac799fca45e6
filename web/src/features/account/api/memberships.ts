/**
 * Whether the account belongs to the practice's staff. The call is plain, so that pages which ask
 * nothing else do not load Connect's runtime for it.
 */
import { accessToken } from '@/lib/auth';
import { RPC_BASE } from '@/lib/env';

const METHOD = 'booking.v1.OrganisationService/ListMyMemberships';
/** Signing in does not wait longer for it. */
const WAIT_MS_MAX = 3000;

export type Membership = {
  practiceName: string;
  /** From then on the practice's work needs a second step. */
  secondFactorBy?: string;
};

/** None for clients. */
export async function listMemberships(): Promise<readonly Membership[]> {
  const token = await accessToken();
  if (!token) return [];
  const answer = await fetch(`${RPC_BASE}/${METHOD}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Connect-Protocol-Version': '1',
      Authorization: `Bearer ${token}`,
    },
    body: '{}',
    signal: AbortSignal.timeout(WAIT_MS_MAX),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`The memberships were answered with ${answer.status}.`);
  const { memberships } = JSON.parse(text) as { memberships?: Membership[] };
  return memberships ?? [];
}
