import { Badge, type BadgeTone } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { toast } from '@/components/ui/toast-store';
import { type Invitation, InvitationState } from '@/gen/booking/v1/organisation_service_pb';
import { usePracticeZone } from '@/lib/practice';
import { shownAddress } from '@/lib/shown-address';
import { formatDateTime, toDate } from '@/lib/time';
import { useInvitationActions, useInvitations } from '../hooks/use-organisation';
import { roleLabel } from '../roles';
import { OrganisationNotice } from './organisation-notice';

const STATES: Record<InvitationState, { label: string; tone: BadgeTone }> = {
  [InvitationState.UNSPECIFIED]: { label: '', tone: 'neutral' },
  [InvitationState.PENDING]: { label: 'Pending', tone: 'leaf' },
  [InvitationState.ACCEPTED]: { label: 'Accepted', tone: 'ok' },
  [InvitationState.DECLINED]: { label: 'Declined', tone: 'warn' },
  [InvitationState.WITHDRAWN]: { label: 'Withdrawn', tone: 'neutral' },
  [InvitationState.EXPIRED]: { label: 'Expired', tone: 'warn' },
};

type Actions = ReturnType<typeof useInvitationActions>;

function InvitationRow({ invitation, actions }: { invitation: Invitation; actions: Actions }) {
  const zone = usePracticeZone();
  const { invitationId, email, role, state, expiresAt, invitedBy, mayChange } = invitation;
  const { label, tone } = STATES[state] ?? STATES[InvitationState.UNSPECIFIED];
  const isPending = state === InvitationState.PENDING;
  const resent = () => toast({ title: 'Sent again', description: 'The link before has ended.' });
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-4">
      <div className="min-w-0">
        <p className="font-semibold break-words">{shownAddress(email)}</p>
        <p className="flex flex-wrap items-center gap-2 text-sm text-ink-2">
          <Badge tone={tone}>{label}</Badge>
          <span>{roleLabel(role)}</span>
          {isPending && expiresAt ? (
            <span>until {formatDateTime(toDate(expiresAt), zone)}</span>
          ) : null}
          {invitedBy ? <span className="break-all">by {invitedBy}</span> : null}
        </p>
      </div>
      {mayChange && (isPending || state === InvitationState.EXPIRED) ? (
        <div className="flex flex-wrap gap-2">
          <Button
            variant="secondary"
            size="sm"
            aria-label={`Send the invitation of ${shownAddress(email)} again`}
            busy={actions.resend.isPending && actions.resend.variables === invitationId}
            onClick={() => actions.resend.mutate(invitationId, { onSuccess: resent })}
          >
            Send again
          </Button>
          {isPending ? (
            <Button
              variant="quiet"
              size="sm"
              aria-label={`Withdraw the invitation of ${shownAddress(email)}`}
              busy={actions.withdraw.isPending && actions.withdraw.variables === invitationId}
              onClick={() => actions.withdraw.mutate(invitationId)}
            >
              Withdraw
            </Button>
          ) : null}
        </div>
      ) : null}
    </li>
  );
}

/** The invitations of the last 90 days with where they stand. */
export function InvitationsCard() {
  const { data: invitations, error, refetch } = useInvitations();
  const actions = useInvitationActions();
  return (
    <Card className="flex flex-col gap-2">
      <h2 className="text-h3">Invitations</h2>
      <OrganisationNotice error={error} onRetry={() => void refetch()} />
      <OrganisationNotice error={actions.resend.error ?? actions.withdraw.error} />
      {!invitations && !error ? <Skeleton className="h-24 rounded-card" /> : null}
      {invitations?.length === 0 ? (
        <p className="text-ink-2">No address was invited in the last 90 days.</p>
      ) : null}
      {invitations && invitations.length > 0 ? (
        <ul className="divide-y divide-hairline">
          {invitations.map((invitation) => (
            <InvitationRow
              key={invitation.invitationId}
              invitation={invitation}
              actions={actions}
            />
          ))}
        </ul>
      ) : null}
    </Card>
  );
}
