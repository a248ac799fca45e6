import { useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { setFlashToast } from '@/components/ui/flash-toast';
import { useAuth } from '@/lib/auth';
import { isRecoveryLink, linkError } from '../auth-fragment';
import { useReturn } from '../hooks/use-return';
import { accountPath } from '../return-path';
import { AccountFrame } from './account-frame';
import { CodeForm } from './code-form';
import { NewPasswordForm, RecoverEmailForm } from './recover-form';

type Stage = { name: 'email' } | { name: 'code'; email: string } | { name: 'password' };

const TITLES: Record<Stage['name'], string> = {
  email: 'Reset Your Password',
  code: 'Check Your Mail',
  password: 'Choose a New Password',
};

/** /recover: address, code from the mail, new password. The link in the mail skips the code. */
export function RecoverPage() {
  const { back, leave } = useReturn();
  const { status } = useAuth();
  const [hash] = useState(() => window.location.hash);
  const [stage, setStage] = useState<Stage>(() =>
    isRecoveryLink(hash) ? { name: 'password' } : { name: 'email' },
  );
  // The session of the link is read in a moment; until then there is no account for a password.
  const ready = stage.name !== 'password' || status === 'signed-in';

  function done() {
    setFlashToast({ title: 'Password saved', description: 'You are signed in.' });
    leave();
  }

  return (
    <AccountFrame
      title={TITLES[stage.name]}
      lead={stage.name === 'email' ? 'We send a code to your email.' : undefined}
      foot={
        <p>
          <AppLink
            to={accountPath('/sign-in', back)}
            className="font-semibold text-brand underline underline-offset-4"
          >
            Back to sign in
          </AppLink>
        </p>
      }
    >
      {stage.name === 'email' && linkError(hash) ? (
        <Alert tone="warn" title="That link did not work" className="mb-5" live>
          It was used already, or it is too old. Ask for a new code below.
        </Alert>
      ) : null}
      {stage.name === 'email' ? (
        <RecoverEmailForm back={back} onCodeSent={(email) => setStage({ name: 'code', email })} />
      ) : null}
      {stage.name === 'code' ? (
        <CodeForm
          email={stage.email}
          kind="recovery"
          onDone={() => setStage({ name: 'password' })}
          back={
            <Button variant="quiet" size="sm" onClick={() => setStage({ name: 'email' })}>
              Use another email
            </Button>
          }
        />
      ) : null}
      {stage.name === 'password' && ready ? <NewPasswordForm onDone={done} /> : null}
      {ready ? null : <p role="status">One moment…</p>}
    </AccountFrame>
  );
}
