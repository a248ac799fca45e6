import { type ReactNode, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import type { SignInValues, SignUpValues } from '../account-rules';
import { useConfirmed } from '../hooks/use-confirmed';
import { CodeForm } from './code-form';
import { NewPasswordForm } from './recover-form';
import { SignInForm } from './sign-in-form';
import { SignUpForm } from './sign-up-form';

type AccountStepProps = {
  /** Where the links of mails lead back to. */
  back: string;
  /** What is known of the person already. */
  known: Partial<SignUpValues>;
  /** An answer is awaited that says what comes next, whatever the session does meanwhile. */
  onRedeeming: (redeeming: boolean) => void;
  /** The way out without signing in. */
  cancel: ReactNode;
};

type Stage = 'sign-up' | 'sign-in';

const TITLES: Record<Stage, string> = {
  'sign-up': 'Create your account',
  'sign-in': 'Sign in to your account',
};

const SWITCH: Record<Stage, { words: string; button: string; to: Stage }> = {
  'sign-up': { words: 'Have an account already?', button: 'Sign In', to: 'sign-in' },
  'sign-in': { words: 'New here?', button: 'Create New Account', to: 'sign-up' },
};

/**
 * Signing in inside another page, so that what is in its memory alone stays there. The page goes on
 * when the session begins.
 */
export function AccountStep({ back, known, onRedeeming, cancel }: AccountStepProps) {
  const [stage, setStage] = useState<Stage>('sign-up');
  const [waiting, setWaiting] = useState<SignInValues>();
  const { choosing, onConfirmed } = useConfirmed(() => onRedeeming(false));

  function body() {
    if (choosing) return <NewPasswordForm onDone={() => onRedeeming(false)} />;
    if (waiting) {
      return (
        <CodeForm
          email={waiting.email}
          kind="signup"
          {...(stage === 'sign-in' ? { startSeconds: 0 } : {})}
          onRedeeming={onRedeeming}
          onDone={(needed) => void onConfirmed(needed, waiting.password)}
          back={
            <Button variant="quiet" size="sm" onClick={() => setWaiting(undefined)}>
              Use another email
            </Button>
          }
        />
      );
    }
    const wait = (email: string, password: string) => setWaiting({ email, password });
    return stage === 'sign-up' ? (
      <SignUpForm
        back={back}
        known={known}
        onDone={() => undefined}
        onCodeSent={wait}
        onExisting={() => setStage('sign-in')}
      />
    ) : (
      <SignInForm back={back} email={known.email} onDone={() => undefined} onUnconfirmed={wait} />
    );
  }

  const { words, button, to } = SWITCH[stage];
  const title = choosing ? 'Choose a password' : waiting ? 'Confirm your email' : TITLES[stage];
  return (
    <Card className="flex flex-col gap-6">
      <h2 className="text-h3">{title}</h2>
      {body()}
      {waiting || choosing ? null : (
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-hairline pt-4">
          <p className="flex flex-wrap items-center gap-2">
            {words}
            <Button variant="quiet" size="sm" onClick={() => setStage(to)}>
              {button}
            </Button>
          </p>
          {cancel}
        </div>
      )}
    </Card>
  );
}
