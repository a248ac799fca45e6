import { type ReactNode, useCallback, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { type BookerValues, type SignInValues, splitName } from '../account-rules';
import { useArrival } from '../hooks/use-arrival';
import { useConfirmed } from '../hooks/use-confirmed';
import { BookerForm } from './booker-form';
import { CodeForm } from './code-form';
import { LazyNewPassword, LazySecondStep, LazySignIn, LazySignUp } from './lazy-steps';

type AccountStepProps = {
  /** Where the links of mails lead back to. */
  back: string;
  /** What is known of the person already. */
  known: Partial<BookerValues>;
  /** An answer is awaited that says what comes next, whatever the session does meanwhile. */
  onRedeeming: (redeeming: boolean) => void;
  /** The way out without signing in. */
  cancel: ReactNode;
};

type Stage = 'code' | 'sign-up' | 'sign-in';

const TITLES: Record<Stage, string> = {
  code: 'Your name and email',
  'sign-up': 'Create your account',
  'sign-in': 'Sign in to your account',
};

const WAYS: readonly { to: Stage; button: string }[] = [
  { to: 'code', button: 'Use a code' },
  { to: 'sign-in', button: 'Sign In' },
  { to: 'sign-up', button: 'Create New Account' },
];

type Waiting = SignInValues & { kind: 'signup' | 'email' };

function useStep({ onRedeeming }: AccountStepProps) {
  const [stage, setStage] = useState<Stage>('code');
  const [waiting, setWaiting] = useState<Waiting>();
  const leave = useCallback(() => onRedeeming(false), [onRedeeming]);
  const { next, arrive } = useArrival(leave);
  const { choosing, onConfirmed } = useConfirmed(() => void arrive());
  return { stage, setStage, waiting, setWaiting, leave, next, arrive, choosing, onConfirmed };
}

type Step = ReturnType<typeof useStep>;

type WaitingFormProps = Pick<AccountStepProps, 'onRedeeming'> & { step: Step };

function WaitingForm({ step, onRedeeming }: WaitingFormProps) {
  const { waiting, setWaiting, stage, onConfirmed } = step;
  if (!waiting) return null;
  const { email, kind, password } = waiting;
  return (
    <CodeForm
      email={email}
      kind={kind}
      {...(stage === 'sign-in' && kind === 'signup' ? { startSeconds: 0 } : {})}
      onRedeeming={onRedeeming}
      // Signing in by code needs no password.
      onDone={(needed) => void onConfirmed(needed && kind === 'signup', password)}
      back={
        <Button variant="quiet" size="sm" onClick={() => setWaiting(undefined)}>
          Use another email
        </Button>
      }
    />
  );
}

function Forms({ step, back, known, onRedeeming }: { step: Step } & AccountStepProps) {
  const { stage, setStage, setWaiting, arrive } = step;
  const done = () => void arrive();
  const unproved = (email: string, password: string) =>
    setWaiting({ email, password, kind: 'signup' });
  if (stage === 'code') {
    return <BookerForm back={back} known={known} onRedeeming={onRedeeming} onDone={done} />;
  }
  if (stage === 'sign-up') {
    const { name = '', ...rest } = known;
    return (
      <LazySignUp
        back={back}
        known={{ ...splitName(name), ...rest }}
        onDone={() => undefined}
        onCodeSent={unproved}
        onExisting={() => setStage('sign-in')}
      />
    );
  }
  return (
    <LazySignIn
      back={back}
      email={known.email}
      onRedeeming={onRedeeming}
      onDone={done}
      onCodeSent={(email) => setWaiting({ email, password: '', kind: 'email' })}
      onUnconfirmed={unproved}
    />
  );
}

function titleOf({ choosing, next, waiting, stage }: Step): string {
  if (choosing) return 'Choose a password';
  if (next.name === 'second-step') return 'One more step';
  if (waiting) return waiting.kind === 'email' ? 'Check your mail' : 'Confirm your email';
  return TITLES[stage];
}

/**
 * Signing in inside another page, so that what is in its memory alone stays there. The page goes on
 * when the session begins.
 */
export function AccountStep(props: AccountStepProps) {
  const { onRedeeming, cancel } = props;
  const step = useStep(props);
  const { stage, setStage, waiting, leave, next, choosing } = step;

  function body() {
    if (choosing) return <LazyNewPassword onDone={leave} />;
    if (next.name === 'second-step')
      return <LazySecondStep factors={next.factors} onDone={leave} />;
    if (waiting) return <WaitingForm step={step} onRedeeming={onRedeeming} />;
    return <Forms step={step} {...props} />;
  }

  return (
    <Card className="flex flex-col gap-6">
      <h2 className="text-h3">{titleOf(step)}</h2>
      {body()}
      {waiting || choosing || next.name !== 'none' ? null : (
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-hairline pt-4">
          <p className="flex flex-wrap items-center gap-2">
            Or another way:
            {WAYS.filter(({ to }) => to !== stage).map(({ to, button }) => (
              <Button key={to} variant="quiet" size="sm" onClick={() => setStage(to)}>
                {button}
              </Button>
            ))}
          </p>
          {cancel}
        </div>
      )}
    </Card>
  );
}
