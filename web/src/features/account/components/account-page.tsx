/** /account: what an account holds, and everything that can be changed about it. */

import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { Alert } from '@/components/ui/alert';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { PageHeading } from '@/components/ui/page-heading';
import { Skeleton } from '@/components/ui/skeleton';
import { toast } from '@/components/ui/toast-store';
import { authClient, signOut, useAuth } from '@/lib/auth';
import { serverDate } from '@/lib/clock';
import { useGo } from '@/lib/use-go';
import { listMemberships, type Membership } from '../api/memberships';
import { useAccountPart, useRefreshAccount } from '../hooks/use-own-user';
import { wayBack } from '../return-path';
import { isOverdue, type NextStep, nextStep } from '../second-factor';
import { AddressSection } from './address-section';
import { AppsSection } from './apps-section';
import { DevicesSection } from './devices-section';
import { PasskeysSection } from './passkeys-section';
import { PasswordSection } from './password-section';
import { ProfileSection } from './profile-section';
import { RecoverySection } from './recovery-section';
import { SecondStep } from './second-step';
import { Section } from './section';
import { StaffSetUp } from './staff-set-up';

function SignedOut() {
  return (
    <Card className="flex flex-col items-start gap-4">
      <p>Sign in to see your account. Only you can see it.</p>
      <Button to="/sign-in?return=%2Faccount">Sign In</Button>
    </Card>
  );
}

/** What the session still lacks; nothing while that is not known. */
function useMissing(userId: string): NextStep | undefined {
  const read = async () => nextStep(await authClient(), 'of everyone');
  return useAccountPart(userId, 'level', read).data;
}

type MissingProps = { missing: NextStep | undefined; onProved: () => void };

/** A session without its second step may read the account, and change little of it. */
function Missing({ missing, onProved }: MissingProps) {
  if (missing?.name === 'second-step') {
    return (
      <Section
        title="Please confirm that it's you"
        lead="Use your second step, and you can change everything below."
      >
        <SecondStep factors={missing.factors} onDone={onProved} />
      </Section>
    );
  }
  if (missing?.name !== 'set-up') return null;
  const overdue = isOverdue(missing.until, serverDate());
  return (
    <Alert tone={overdue ? 'error' : 'warn'} title="Please set up a second step">
      <StaffSetUp until={missing.until}>
        <p>Add a passkey or an authenticator app below, and then make recovery codes.</p>
      </StaffSetUp>
    </Alert>
  );
}

type GoBackProps = { missing: NextStep | undefined; to: string };

/** To the page that asked for the second step, once the session lacks nothing. */
function GoBack({ missing, to }: GoBackProps) {
  const frame = useRef<HTMLDivElement>(null);
  const before = useRef<NextStep['name']>(undefined);
  const now = missing?.name;

  useEffect(() => {
    const lacked = before.current !== undefined && before.current !== 'none';
    // The form that had the focus is gone.
    if (now === 'none' && lacked) frame.current?.focus();
    before.current = now;
  }, [now]);

  if (now !== 'none') return null;
  return (
    <div ref={frame} tabIndex={-1} className="scroll-mt-24">
      <Alert
        tone="ok"
        title="You can go on now"
        action={
          <Button size="sm" to={to}>
            Back to where you were
          </Button>
        }
      >
        If you have no recovery codes yet, make them below first.
      </Alert>
    </div>
  );
}

/** For the practice's staff; clients do not see it. */
function Practice({ memberships }: { memberships: readonly Membership[] }) {
  const [membership] = memberships;
  if (!membership) return null;
  return (
    <Section title="Practice" lead={`You work for ${membership.practiceName}.`}>
      <Button to="/organisation" variant="secondary" size="sm" className="self-start">
        Members and invitations
      </Button>
    </Section>
  );
}

function Ends() {
  const go = useGo();

  function leave() {
    signOut('links');
    toast({ title: 'Signed out', description: 'See you soon.' });
    go('/');
  }

  return (
    <div className="flex flex-wrap items-center justify-between gap-4 print:hidden">
      <AppLink to="/consent" className="font-semibold text-brand underline underline-offset-4">
        Your consent to online sessions
      </AppLink>
      <Button variant="secondary" onClick={leave}>
        Sign out
      </Button>
    </div>
  );
}

/** An address may lead to one part, which is not there before the page is. */
function useNamedPart(): void {
  useEffect(() => {
    const name = window.location.hash.slice(1);
    if (name) document.getElementById(name)?.scrollIntoView();
  }, []);
}

function Parts({ userId }: { userId: string }) {
  const missing = useMissing(userId);
  const staff = useAccountPart(userId, 'staff', listMemberships);
  const refresh = useRefreshAccount(userId);
  const { search } = useLocation();
  const [back] = useState(() => wayBack(search, window.location.origin));
  useNamedPart();

  function proved() {
    toast({ title: 'Thank you', description: 'You can change everything now.' });
    void refresh('level', 'user', 'passkeys', 'recovery-codes', 'sessions');
  }

  return (
    <div data-account="" className="flex flex-col gap-6">
      <Missing missing={missing} onProved={proved} />
      {back ? <GoBack missing={missing} to={back} /> : null}
      <Section title="Your sessions" lead="What is coming up, what you had, and how to cancel.">
        <Button to="/account/sessions" size="sm" className="self-start">
          See your sessions
        </Button>
      </Section>
      <ProfileSection userId={userId} />
      <AddressSection userId={userId} />
      <PasswordSection userId={userId} />
      <PasskeysSection userId={userId} />
      <AppsSection userId={userId} />
      <RecoverySection userId={userId} />
      <DevicesSection userId={userId} />
      <Practice memberships={staff.data ?? []} />
      <Ends />
    </div>
  );
}

export function AccountPage() {
  const { status, user } = useAuth();
  return (
    <div className="container-page flex flex-col gap-8 py-10 sm:py-14">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-8">
        <PageHeading lead="Your details, how you sign in, and where you are signed in.">
          Your Account
        </PageHeading>
        {status === 'signed-out' ? <SignedOut /> : null}
        {user ? <Parts key={user.id} userId={user.id} /> : null}
        {status === 'unknown' ? <Skeleton className="h-80 w-full rounded-card" /> : null}
      </div>
    </div>
  );
}
