/**
 * Whether the account is a member of the practice. The call is plain, so that a page that asks
 * nothing else does not load Connect's runtime for it.
 */

import { accessToken } from './auth';
import { clockedFetch } from './clock';
import { RPC_BASE } from './env';

const METHOD = 'booking.v1.OrganisationService/ListMyMemberships';

export async function fetchIsMember(): Promise<boolean> {
  const token = await accessToken();
  if (!token) return false;
  const answer = await clockedFetch(`${RPC_BASE}/${METHOD}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Connect-Protocol-Version': '1',
      Authorization: `Bearer ${token}`,
    },
    body: '{}',
  });
  const { memberships } = (await answer.json()) as { memberships?: unknown[] };
  return answer.ok && (memberships?.length ?? 0) > 0;
}
