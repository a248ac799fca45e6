import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import type { AuthUser } from '@/lib/auth';

type AuthStepProps = {
  user: AuthUser | undefined;
  /** Where to come back to after signing in. */
  returnTo: string;
  /** What is booked costs nothing. */
  free: boolean;
  onContinue: () => void;
};

function accountPath(page: '/sign-in' | '/sign-up', returnTo: string): string {
  return `${page}?return=${encodeURIComponent(returnTo)}`;
}

type SignedInProps = Pick<AuthStepProps, 'free' | 'onContinue'> & { user: AuthUser };

function SignedIn({ user, free, onContinue }: SignedInProps) {
  const name = [user.firstName, user.lastName].filter(Boolean).join(' ') || user.email;
  return (
    <>
      <p>
        Welcome, <strong>{name}</strong>. Next you choose your time and see our short terms.
      </p>
      <Button onClick={onContinue}>{free ? 'Continue' : 'Continue to Payment'}</Button>
    </>
  );
}

function SignedOut({ returnTo }: { returnTo: string }) {
  return (
    <>
      <p>
        You'll need an account, so only you can see your bookings. It takes a minute and brings you
        straight back here.
      </p>
      <div className="flex flex-col gap-3 sm:flex-row">
        <Button to={accountPath('/sign-in', returnTo)}>Sign In</Button>
        <Button to={accountPath('/sign-up', returnTo)} variant="secondary">
          Create New Account
        </Button>
      </div>
      <p className="text-sm text-ink-2">
        Just your name, email and a password. What you tell us stays with us.
      </p>
    </>
  );
}

/** The first step: who books. */
export function AuthStep({ user, returnTo, free, onContinue }: AuthStepProps) {
  return (
    <Card className="flex flex-col gap-5">
      {user ? (
        <SignedIn user={user} free={free} onContinue={onContinue} />
      ) : (
        <SignedOut returnTo={returnTo} />
      )}
      <div className="border-t border-hairline pt-4">
        <Button to="/services" variant="quiet" size="sm" className="-ml-4">
          Back to Terms
        </Button>
      </div>
    </Card>
  );
}
