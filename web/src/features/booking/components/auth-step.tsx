import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import type { AuthUser } from '@/lib/auth';

type AuthStepProps = {
  user: AuthUser | undefined;
  /** Where to come back to after signing in. */
  returnTo: string;
  onContinue: () => void;
};

function accountPath(page: '/sign-in' | '/sign-up', returnTo: string): string {
  return `${page}?return=${encodeURIComponent(returnTo)}`;
}

function SignedIn({ user, onContinue }: { user: AuthUser; onContinue: () => void }) {
  const name = [user.firstName, user.lastName].filter(Boolean).join(' ') || user.email;
  return (
    <>
      <p>
        Welcome, <strong>{name}</strong>. Next you choose your time and see our short terms.
      </p>
      <Button onClick={onContinue}>Continue to Payment</Button>
    </>
  );
}

function SignedOut({ returnTo }: { returnTo: string }) {
  return (
    <>
      <p>
        A booking belongs to an account, so that only you can see it. It takes a minute, and then
        you come straight back to this page.
      </p>
      <div className="flex flex-col gap-3 sm:flex-row">
        <Button to={accountPath('/sign-in', returnTo)}>Sign In</Button>
        <Button to={accountPath('/sign-up', returnTo)} variant="secondary">
          Create New Account
        </Button>
      </div>
      <p className="text-sm text-ink-2">
        We ask for your name and email, and nothing else has to be filled in. What you tell us stays
        with us.
      </p>
    </>
  );
}

/** The first step: who books. */
export function AuthStep({ user, returnTo, onContinue }: AuthStepProps) {
  return (
    <Card className="flex flex-col gap-5">
      {user ? <SignedIn user={user} onContinue={onContinue} /> : <SignedOut returnTo={returnTo} />}
      <div className="border-t border-hairline pt-4">
        <Button to="/services" variant="quiet" size="sm" className="-ml-4">
          Back to Terms
        </Button>
      </div>
    </Card>
  );
}
