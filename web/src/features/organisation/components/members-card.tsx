import { useCallback, useState } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import type { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import type { Member } from '@/gen/booking/v1/organisation_service_pb';
import { usePracticeZone } from '@/lib/practice';
import { formatDate, toDate } from '@/lib/time';
import { useMembers } from '../hooks/use-organisation';
import { roleLabel } from '../roles';
import { EndDialog, memberName, RoleDialog } from './member-dialog';
import { OrganisationNotice } from './organisation-notice';

type Opened = { what: 'role' | 'remove'; member: Member };

type MemberRowProps = { member: Member; onOpen: (what: Opened['what']) => void };

function MemberRow({ member, onOpen }: MemberRowProps) {
  const zone = usePracticeZone();
  const { sinceAt, practitionerName, role, mayChange, isCaller } = member;
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-4">
      <div className="min-w-0">
        <p className="font-semibold break-words">{memberName(member)}</p>
        <p className="flex flex-wrap items-center gap-2 text-sm text-ink-2">
          <Badge tone="neutral">{roleLabel(role)}</Badge>
          {practitionerName ? <span>{practitionerName}</span> : null}
          {sinceAt ? <span>since {formatDate(toDate(sinceAt), zone)}</span> : null}
        </p>
      </div>
      {mayChange ? (
        <div className="flex flex-wrap gap-2">
          <Button
            variant="secondary"
            size="sm"
            aria-label={`Change the role of ${memberName(member)}`}
            onClick={() => onOpen('role')}
          >
            Change role
          </Button>
          {isCaller ? null : (
            <Button
              variant="quiet"
              size="sm"
              aria-label={`Remove ${memberName(member)}`}
              onClick={() => onOpen('remove')}
            >
              Remove
            </Button>
          )}
        </div>
      ) : null}
    </li>
  );
}

/** The members of the practice, for owners and admins. */
export function MembersCard({ own, practice }: { own: StaffRole; practice: string }) {
  const { data: members, error, refetch } = useMembers();
  const [opened, setOpened] = useState<Opened>();
  const close = useCallback(() => setOpened(undefined), []);
  return (
    <Card className="flex flex-col gap-2">
      <h2 className="text-h3">Members</h2>
      <OrganisationNotice error={error} onRetry={() => void refetch()} />
      {!members && !error ? <Skeleton className="h-40 rounded-card" /> : null}
      {members ? (
        <ul className="divide-y divide-hairline">
          {members.map((member) => (
            <MemberRow
              key={member.userId}
              member={member}
              onOpen={(what) => setOpened({ what, member })}
            />
          ))}
        </ul>
      ) : null}
      {opened?.what === 'role' ? (
        <RoleDialog own={own} member={opened.member} onClose={close} />
      ) : null}
      {opened?.what === 'remove' ? (
        <EndDialog member={opened.member} practice={practice} onClose={close} />
      ) : null}
    </Card>
  );
}
