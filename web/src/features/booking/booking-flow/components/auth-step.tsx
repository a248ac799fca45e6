import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import type { AuthUser } from '@/lib/auth';
import { shownAddress } from '@/lib/shown-address';

type AuthStepProps = {
  user: AuthUser | undefined;
  /** Where to come back to after signing in. */
  returnTo: string;
  /** What is booked costs nothing. */
  free: boolean;
  onContinue: () => void;
  /** The form that signs in on this page. */
  children: ReactNode;
};

function accountPath(page: '/sign-in' | '/sign-up', returnTo: string): string {
  return `${page}?return=${encodeURIComponent(returnTo)}`;
}

type SignedInProps = Pick<AuthStepProps, 'free' | 'onContinue'> & { user: AuthUser };

function SignedIn({ user, free, onContinue }: SignedInProps) {
  const name =
    [user.firstName, user.lastName].filter(Boolean).join(' ') || shownAddress(user.email);
  return (
    <>
      <p>
        Welcome, <bdi className="font-bold">{name}</bdi>. Next you choose your time and see our
        short terms.
      </p>
      <Button onClick={onContinue}>{free ? 'Continue' : 'Continue to Payment'}</Button>
    </>
  );
}

function SignedOut({ returnTo, children }: Pick<AuthStepProps, 'returnTo' | 'children'>) {
  return (
    <>
      <p>
        You'll need an account, so only you can see your bookings. Your name, your email and one
        code are enough, and what you have chosen stays.
      </p>
      {children}
      <div className="flex flex-col gap-3 border-t border-hairline pt-5">
        <h2 className="font-sans text-base font-semibold tracking-normal">
          Or with a password or a passkey
        </h2>
        <div className="flex flex-col gap-3 sm:flex-row">
          <Button to={accountPath('/sign-in', returnTo)} variant="secondary">
            Sign In
          </Button>
          <Button to={accountPath('/sign-up', returnTo)} variant="secondary">
            Create New Account
          </Button>
        </div>
        <p className="text-sm text-ink-2">What you tell us stays with us.</p>
      </div>
    </>
  );
}

/** The first step: who books. */
export function AuthStep({ user, returnTo, free, onContinue, children }: AuthStepProps) {
  return (
    <Card className="flex flex-col gap-5">
      {user ? (
        <SignedIn user={user} free={free} onContinue={onContinue} />
      ) : (
        <SignedOut returnTo={returnTo}>{children}</SignedOut>
      )}
      <div className="border-t border-hairline pt-4">
        <Button to="/services" variant="quiet" size="sm" className="-ml-4">
          Back to Terms
        </Button>
      </div>
    </Card>
  );
}
