import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { PageHeading } from '@/components/ui/page-heading';
import { Skeleton } from '@/components/ui/skeleton';
import { useAuth } from '@/lib/auth';

const TO_SIGN_IN = 'Sign in to see your sessions. Only you can see them.';

function SignInFirst({ children }: { children: ReactNode }) {
  const { pathname, search } = useLocation();
  return (
    <Card className="flex flex-col items-start gap-4">
      <p>{children}</p>
      <Button to={`/sign-in?return=${encodeURIComponent(`${pathname}${search}`)}`}>Sign In</Button>
    </Card>
  );
}

/** A resting shape while something of the person's is read. */
export function OwnSkeleton() {
  return (
    <div aria-busy="true">
      <span className="sr-only">Loading your sessions…</span>
      <Skeleton className="h-80 w-full rounded-card" />
    </div>
  );
}

type OwnFrameProps = {
  title: string;
  lead?: string;
  /** What a visitor is told to sign in for. */
  toSignIn?: string;
  /** For the person who is signed in. */
  children: (userId: string) => ReactNode;
};

/** The frame of the pages of own sessions, for every state of the sign-in. */
export function OwnFrame({ title, lead, toSignIn = TO_SIGN_IN, children }: OwnFrameProps) {
  const { status, user } = useAuth();
  return (
    <div className="container-page flex min-h-[60dvh] flex-col py-10 sm:py-14">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-8">
        <PageHeading lead={lead}>{title}</PageHeading>
        {status === 'signed-out' ? <SignInFirst>{toSignIn}</SignInFirst> : null}
        {status === 'unknown' ? <OwnSkeleton /> : null}
        {user ? children(user.id) : null}
      </div>
    </div>
  );
}
