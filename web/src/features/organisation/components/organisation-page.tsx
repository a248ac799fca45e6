import { useCallback, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import { PageHeading } from '@/components/ui/page-heading';
import { Skeleton } from '@/components/ui/skeleton';
import type { Membership } from '@/gen/booking/v1/organisation_service_pb';
import { useAuth } from '@/lib/auth';
import { isSessionOver } from '@/lib/errors';
import { useLacksSecondStep, useMembership } from '../hooks/use-organisation';
import { isManager, roleLabel, roleRights } from '../roles';
import { ChangesCard } from './changes-card';
import { InvitationsCard } from './invitations-card';
import { InviteForm } from './invite-form';
import { EndDialog } from './member-dialog';
import { MembersCard } from './members-card';

const BACK = encodeURIComponent('/organisation');

function OwnCard({ membership }: { membership: Membership }) {
  const [leaving, setLeaving] = useState(false);
  const stay = useCallback(() => setLeaving(false), []);
  const { practiceName, role, practitionerName } = membership;
  return (
    <Card className="flex flex-col items-start gap-4">
      <h2 className="text-h3">Your Membership</h2>
      <p>
        You are <strong>{roleLabel(role)}</strong> of {practiceName}
        {practitionerName ? `, with the calendar of ${practitionerName}` : ''}. {roleRights(role)}
      </p>
      <Button variant="secondary" size="sm" onClick={() => setLeaving(true)}>
        Leave the practice
      </Button>
      {leaving ? <EndDialog practice={practiceName} onClose={stay} /> : null}
    </Card>
  );
}

/** What owners and admins change. What the session itself lacks is said once for all of it. */
function Managed({ membership }: { membership: Membership }) {
  const lacking = useLacksSecondStep();
  if (lacking) return <ErrorNotice error={lacking} />;
  const { role, practiceName } = membership;
  return (
    <>
      <MembersCard own={role} practice={practiceName} />
      <InviteForm own={role} />
      <InvitationsCard />
      <ChangesCard />
    </>
  );
}

function Organisation({ userId }: { userId: string }) {
  const { data: membership, error, refetch } = useMembership(userId);
  const failed = error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : null;
  if (membership === undefined || isSessionOver(error)) {
    return failed ?? <Skeleton className="h-80 w-full rounded-card" />;
  }
  if (!membership) {
    return (
      <Card className="flex flex-col items-start gap-4">
        <p>
          Your account is not a member of the practice. If you work here, ask an owner or admin to
          invite you.
        </p>
        <Button to="/">Go to the home page</Button>
      </Card>
    );
  }
  return (
    <>
      {failed}
      <OwnCard membership={membership} />
      {isManager(membership.role) ? <Managed membership={membership} /> : null}
    </>
  );
}

/** /organisation: the practice's members, for members; owners and admins change them here. */
export function OrganisationPage() {
  const { status, user } = useAuth();
  return (
    <div className="container-page flex flex-col gap-8 py-10 sm:py-14">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-8">
        <PageHeading lead="Who works for the practice, and what each member may do.">
          The Practice's Members
        </PageHeading>
        {status === 'signed-out' ? (
          <Card className="flex flex-col items-start gap-4">
            <p>Sign in to see your membership.</p>
            <Button to={`/sign-in?return=${BACK}`}>Sign In</Button>
          </Card>
        ) : null}
        {user ? <Organisation userId={user.id} /> : null}
        {status === 'unknown' ? <Skeleton className="h-80 w-full rounded-card" /> : null}
      </div>
    </div>
  );
}
