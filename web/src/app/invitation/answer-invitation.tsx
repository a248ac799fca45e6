import { useState } from 'react';
import { LazySection } from '@/components/lazy-section';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { accountPath, setUpPath } from '@/features/account/return-path';
import { OrganisationNotice } from '@/features/organisation/components/organisation-notice';
import { useAnswer } from '@/features/organisation/hooks/use-invitation';
import { type AuthUser, authClient, signOut, useAuth } from '@/lib/auth';
import { errorReason } from '@/lib/errors';
import { importWithRetry } from '@/lib/import-with-retry';
import { shownAddress } from '@/lib/shown-address';
import { lazyLoader } from '@/lib/use-lazy-module';

const BACK = '/invitations';

const proveAddress = lazyLoader(
  async () =>
    (await importWithRetry(() => import('@/features/account/components/prove-address')))
      .ProveAddress,
);

type AnswerProps = { invitationKey: string; email: string };

function SignedOut({ email }: { email: string }) {
  return (
    <Card className="flex flex-col items-start gap-4">
      <p>
        To answer, sign in to the account of{' '}
        <strong className="break-words">{shownAddress(email)}</strong>, or create one. Then you come
        back here.
      </p>
      <div className="flex flex-wrap gap-3">
        <Button to={accountPath('/sign-in', BACK)}>Sign In</Button>
        <Button to={accountPath('/sign-up', BACK)} variant="secondary">
          Create an account
        </Button>
      </div>
    </Card>
  );
}

function OtherAccount({ email, user }: { email: string; user: AuthUser }) {
  return (
    <Alert
      tone="warn"
      title="This invitation is for another address"
      action={
        <Button size="sm" onClick={() => signOut()}>
          Sign out
        </Button>
      }
    >
      You are signed in as <strong className="break-words">{shownAddress(user.email)}</strong>.
      Please sign out, and sign in as <strong className="break-words">{shownAddress(email)}</strong>
      .
    </Alert>
  );
}

/** Whether the account lacks the second step that the work of a member needs from the first call. */
async function lacksSecondStep(): Promise<boolean> {
  const { hasSecondStep } = await importWithRetry(() => import('@/features/account/second-factor'));
  return !(await hasSecondStep(await authClient()));
}

function SecondStepFirst() {
  return (
    <Alert
      live
      title="Set up a second step first"
      action={
        <Button to={setUpPath(BACK)} size="sm">
          Set it up now
        </Button>
      }
    >
      A member works with what clients tell the practice, so a password alone is not enough. Set up
      a passkey or an authenticator app; then you come back here and accept.
    </Alert>
  );
}

function Answer({ invitationKey, user }: { invitationKey: string; user: AuthUser }) {
  const { accept, decline } = useAnswer(invitationKey);
  const [lacking, setLacking] = useState(false);
  const [checking, setChecking] = useState(false);

  async function press() {
    setChecking(true);
    // The practice's own calls ask for it as well.
    const lacks = await lacksSecondStep().catch(() => false);
    setChecking(false);
    setLacking(lacks);
    if (!lacks) accept.mutate();
  }

  const unproved = [accept, decline].find(({ error }) => {
    return error !== null && errorReason(error) === 'ADDRESS_NOT_PROVED';
  });
  if (unproved) {
    return (
      <LazySection
        code={proveAddress}
        resting={<Skeleton className="h-48 rounded-card" />}
        missing="Your email could not be confirmed"
      >
        {(ProveAddress) => (
          <ProveAddress
            email={user.email}
            why="Only the owner of the invited address can answer."
            onProved={() => unproved.mutate()}
          />
        )}
      </LazySection>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap gap-3">
        <Button
          busy={accept.isPending || checking}
          busyText="Accepting…"
          disabled={decline.isPending}
          onClick={() => void press()}
        >
          Accept
        </Button>
        <Button
          variant="secondary"
          busy={decline.isPending}
          busyText="Declining…"
          disabled={accept.isPending}
          onClick={() => decline.mutate()}
        >
          Decline
        </Button>
      </div>
      {lacking ? <SecondStepFirst /> : null}
      <OrganisationNotice error={accept.error ?? decline.error} />
    </div>
  );
}

/** Accept and Decline for the account of the invited address, and how to get there. */
export function AnswerInvitation({ invitationKey, email }: AnswerProps) {
  const { status, user } = useAuth();
  if (status === 'unknown') return <Skeleton className="h-24 w-full rounded-card" />;
  if (!user) return <SignedOut email={email} />;
  if (user.email.toLowerCase() !== email) return <OtherAccount email={email} user={user} />;
  return <Answer invitationKey={invitationKey} user={user} />;
}
