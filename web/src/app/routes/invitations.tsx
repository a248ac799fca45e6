/** /invitations: what an invitation to the practice's staff is about, and the answer to it. */
import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { AnswerInvitation } from '@/app/invitation/answer-invitation';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { PageHeading } from '@/components/ui/page-heading';
import { Skeleton } from '@/components/ui/skeleton';
import { OrganisationNotice } from '@/features/organisation/components/organisation-notice';
import { useInvitation } from '@/features/organisation/hooks/use-invitation';
import {
  forgetInvitationKey,
  knownInvitationKey,
  rememberInvitationKey,
} from '@/features/organisation/invitation-key';
import { roleLabel, roleRights } from '@/features/organisation/roles';
import { type InvitationOffer, InvitationState } from '@/gen/booking/v1/organisation_service_pb';
import { CODE } from '@/lib/codes';
import { describeError } from '@/lib/errors';
import { usePracticeZone } from '@/lib/practice';
import { shownAddress } from '@/lib/shown-address';
import { formatDateTime, toDate } from '@/lib/time';

function Offer({ invitation }: { invitation: InvitationOffer }) {
  const zone = usePracticeZone();
  const { practiceName, role, practitionerName, invitedBy, email, expiresAt, state } = invitation;
  const rows = [
    { label: 'Practice', value: practiceName },
    { label: 'Role', value: roleLabel(role) },
    { label: 'Calendar and clients of', value: practitionerName },
    { label: 'Invited by', value: invitedBy || 'The practice' },
    { label: 'For', value: shownAddress(email) },
    {
      label: 'Can be accepted until',
      value:
        state === InvitationState.PENDING && expiresAt
          ? formatDateTime(toDate(expiresAt), zone)
          : '',
    },
  ];
  return (
    <Card>
      <dl className="flex flex-col gap-3">
        {rows
          .filter(({ value }) => value)
          .map(({ label, value }) => (
            <div key={label} className="flex flex-wrap justify-between gap-x-6">
              <dt className="text-ink-2">{label}</dt>
              <dd className="font-semibold break-words">{value}</dd>
            </div>
          ))}
      </dl>
      <p className="mt-4 text-sm text-ink-2">{roleRights(role)}</p>
    </Card>
  );
}

function Ended({ state }: { state: InvitationState }) {
  switch (state) {
    case InvitationState.ACCEPTED:
      return (
        <Alert
          tone="ok"
          live
          title="This invitation is accepted"
          action={
            <Button to="/organisation" size="sm">
              Go to the practice
            </Button>
          }
        >
          The account that accepted it is a member now.
        </Alert>
      );
    case InvitationState.DECLINED:
      return (
        <Alert live title="This invitation is declined">
          Nothing else happens. If that was a mistake, ask the practice for a new one.
        </Alert>
      );
    case InvitationState.WITHDRAWN:
      return (
        <Alert tone="warn" title="This invitation was withdrawn">
          The practice has ended it. If that surprises you, please ask there.
        </Alert>
      );
    default:
      return (
        <Alert tone="warn" title="This invitation is too old">
          An invitation can be accepted for 48 hours. Please ask the practice to send it again.
        </Alert>
      );
  }
}

function KnownInvitation({ invitationKey }: { invitationKey: string }) {
  const { data: invitation, error, refetch } = useInvitation(invitationKey);
  const isUnknown = error !== null && describeError(error).code === CODE.NotFound;
  const isOver = invitation !== undefined && invitation.state !== InvitationState.PENDING;
  useEffect(() => {
    if (isUnknown || isOver) forgetInvitationKey();
  }, [isUnknown, isOver]);
  const retry = isUnknown ? {} : { onRetry: () => void refetch() };
  const failed = error ? <OrganisationNotice error={error} {...retry} /> : null;
  if (!invitation || isUnknown) return failed ?? <Skeleton className="h-80 w-full rounded-card" />;
  return (
    <>
      {failed}
      <Offer invitation={invitation} />
      {isOver ? (
        <Ended state={invitation.state} />
      ) : (
        <AnswerInvitation invitationKey={invitationKey} email={invitation.email} />
      )}
    </>
  );
}

export default function InvitationsPage() {
  const { hash } = useLocation();
  const key = knownInvitationKey(hash);
  // The account pages lead back here without it.
  useEffect(() => {
    if (key) rememberInvitationKey(key);
  }, [key]);
  return (
    <div className="container-page py-10 sm:py-14">
      <div className="mx-auto flex w-full max-w-2xl flex-col gap-8">
        <PageHeading lead="You are asked to work with the practice. Nothing happens before you accept.">
          Your Invitation
        </PageHeading>
        {key ? (
          <KnownInvitation key={key} invitationKey={key} />
        ) : (
          <Alert tone="warn" title="This address is not complete">
            Please open the link in the mail again, or copy all of it.
          </Alert>
        )}
      </div>
    </div>
  );
}
