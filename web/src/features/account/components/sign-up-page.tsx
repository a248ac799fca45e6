import { useEffect, useState } from 'react';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { useAuth } from '@/lib/auth';
import { useConfirmed } from '../hooks/use-confirmed';
import { useReturn } from '../hooks/use-return';
import { readPendingEmail, writePendingEmail } from '../pending-email';
import { accountPath } from '../return-path';
import { AccountFrame } from './account-frame';
import { ChoosePassword } from './choose-password';
import { CodeForm } from './code-form';
import { SignUpForm } from './sign-up-form';

/** /sign-up: names, address and password and, if the service wants it, the code from the mail. */
export function SignUpPage() {
  const auth = useAuth();
  const { back, leave } = useReturn();
  const [waiting, setWaiting] = useState(readPendingEmail);
  // In memory only, for the case that the service asks for it again.
  const [typed, setTyped] = useState('');
  const { choosing, redeeming, onRedeeming, onConfirmed } = useConfirmed(leave);
  const signedIn = auth.status === 'signed-in';

  function wait(email: string | null, password = '') {
    writePendingEmail(email);
    setWaiting(email ?? '');
    setTyped(password);
  }

  useEffect(() => {
    if (!signedIn || redeeming.current) return;
    writePendingEmail(null);
    leave();
  }, [signedIn, redeeming, leave]);

  if (choosing) return <ChoosePassword onDone={leave} />;
  if (waiting) {
    return (
      <AccountFrame title="Confirm Your Email" lead="Then you are done.">
        <CodeForm
          email={waiting}
          kind="signup"
          onRedeeming={onRedeeming}
          onDone={(needed) => void onConfirmed(needed, typed)}
          back={
            <Button variant="quiet" size="sm" onClick={() => wait(null)}>
              Use another email
            </Button>
          }
        />
      </AccountFrame>
    );
  }
  return (
    <AccountFrame
      title="Create Your Account"
      lead="It takes a minute, and your bookings are then yours alone to see."
      foot={
        <p>
          Have an account already?{' '}
          <AppLink
            to={accountPath('/sign-in', back)}
            className="font-semibold text-brand underline underline-offset-4"
          >
            Sign in
          </AppLink>
        </p>
      }
    >
      <SignUpForm back={back} onDone={leave} onCodeSent={wait} />
    </AccountFrame>
  );
}
