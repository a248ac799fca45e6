import { Card } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import {
  type MembershipChange,
  MembershipChangeKind,
} from '@/gen/booking/v1/organisation_service_pb';
import { usePracticeZone } from '@/lib/practice';
import { shownAddress } from '@/lib/shown-address';
import { formatDateTime, toDate } from '@/lib/time';
import { useMembershipChanges } from '../hooks/use-organisation';
import { roleLabel } from '../roles';
import { OrganisationNotice } from './organisation-notice';

function accountName(id: string): string {
  return id.startsWith('usr_') ? `account ${id.slice(-6)}` : id;
}

/** A change as a sentence without its end. */
export function changeText(change: MembershipChange): string {
  const who =
    shownAddress(change.email) || accountName(change.userId) || 'an address that was deleted';
  const before = roleLabel(change.roleBefore) || 'no role';
  const after = roleLabel(change.roleAfter) || 'no role';
  switch (change.kind) {
    case MembershipChangeKind.INVITED:
      return `invited ${who} as ${after}`;
    case MembershipChangeKind.RESENT:
      return `sent the invitation of ${who} again`;
    case MembershipChangeKind.WITHDRAWN:
      return `withdrew the invitation of ${who}`;
    case MembershipChangeKind.DECLINED:
      return `declined the invitation of ${who}`;
    case MembershipChangeKind.JOINED:
      return `joined as ${after}`;
    case MembershipChangeKind.ROLE_CHANGED:
      return change.roleBefore === change.roleAfter
        ? `linked ${who} to another calendar`
        : `changed ${who} from ${before} to ${after}`;
    case MembershipChangeKind.REMOVED:
      return `removed ${who}, who was ${before}`;
    case MembershipChangeKind.LEFT:
      return `left, as ${before}`;
    case MembershipChangeKind.GRANTED:
      return change.roleAfter === StaffRole.UNSPECIFIED
        ? `revoked the role of ${who}`
        : `made ${who} ${after}`;
    default:
      return 'changed a membership';
  }
}

function actorName({ actorEmail, actor }: MembershipChange): string {
  if (actor === 'operator') return 'The operator';
  return shownAddress(actorEmail) || accountName(actor).replace(/^a/, 'A');
}

/** Who changed which membership, newest first. */
export function ChangesCard() {
  const zone = usePracticeZone();
  const { data: changes, error, refetch } = useMembershipChanges();
  return (
    <Card className="flex flex-col gap-2">
      <h2 className="text-h3">What Has Changed</h2>
      <OrganisationNotice error={error} onRetry={() => void refetch()} />
      {!changes && !error ? <Skeleton className="h-24 rounded-card" /> : null}
      {changes?.length === 0 ? <p className="text-ink-2">Nothing has changed yet.</p> : null}
      {changes && changes.length > 0 ? (
        <ul className="divide-y divide-hairline">
          {changes.map((change, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: it grows at its beginning, without ids.
            <li key={changes.length - index} className="py-3">
              <p className="break-words">
                <strong>{actorName(change)}</strong> {changeText(change)}.
              </p>
              {change.changedAt ? (
                <p className="text-sm text-ink-2">
                  {formatDateTime(toDate(change.changedAt), zone)}
                </p>
              ) : null}
            </li>
          ))}
        </ul>
      ) : null}
    </Card>
  );
}
