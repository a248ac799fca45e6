import { useEffect, useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { useAuth } from '@/lib/auth';
import type { SignInValues } from '../account-rules';
import { linkError } from '../auth-fragment';
import { useConfirmed } from '../hooks/use-confirmed';
import { useReturn } from '../hooks/use-return';
import { accountPath } from '../return-path';
import { AccountFrame } from './account-frame';
import { ChoosePassword } from './choose-password';
import { CodeForm } from './code-form';
import { SignInForm } from './sign-in-form';

/** /sign-in: also where the link of a confirmation mail lands. */
export function SignInPage() {
  const auth = useAuth();
  const { back, leave } = useReturn();
  const [unconfirmed, setUnconfirmed] = useState<SignInValues>();
  const { choosing, redeeming, onRedeeming, onConfirmed } = useConfirmed(leave);
  const [broken] = useState(() => linkError(window.location.hash));
  const signedIn = auth.status === 'signed-in';

  useEffect(() => {
    if (signedIn && !redeeming.current) leave();
  }, [signedIn, redeeming, leave]);

  if (choosing) return <ChoosePassword onDone={leave} />;
  if (unconfirmed) {
    return (
      <AccountFrame title="Confirm Your Email" lead="One short step is left.">
        <CodeForm
          email={unconfirmed.email}
          kind="signup"
          startSeconds={0}
          onRedeeming={onRedeeming}
          onDone={(needed) => void onConfirmed(needed, unconfirmed.password)}
          back={
            <Button variant="quiet" size="sm" onClick={() => setUnconfirmed(undefined)}>
              Use another email
            </Button>
          }
        />
      </AccountFrame>
    );
  }
  return (
    <AccountFrame
      title="Sign In"
      lead="Welcome back."
      foot={
        <p>
          New here?{' '}
          <AppLink
            to={accountPath('/sign-up', back)}
            className="font-semibold text-brand underline underline-offset-4"
          >
            Create an account
          </AppLink>
        </p>
      }
    >
      {broken ? (
        <Alert tone="warn" title="That link did not work" className="mb-5" live>
          It was used already, or it is too old. Sign in below; if your email is not confirmed yet,
          you get a new code.
        </Alert>
      ) : null}
      <SignInForm
        back={back}
        onDone={leave}
        onUnconfirmed={(email, password) => setUnconfirmed({ email, password })}
      />
    </AccountFrame>
  );
}
