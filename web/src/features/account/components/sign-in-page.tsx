import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { signOut, useAuth } from '@/lib/auth';
import { serverDate } from '@/lib/clock';
import { bookingReference } from '@/lib/reference';
import { shownAddress } from '@/lib/shown-address';
import type { SignInValues } from '../account-rules';
import { linkError, providerError } from '../auth-fragment';
import { useArrival } from '../hooks/use-arrival';
import { useConfirmed } from '../hooks/use-confirmed';
import { usePasskeySignIn } from '../hooks/use-passkey-sign-in';
import { useProviderReturn } from '../hooks/use-provider-return';
import { useReturn } from '../hooks/use-return';
import { accountPath, setUpPath } from '../return-path';
import { isOverdue } from '../second-factor';
import { AccountFrame } from './account-frame';
import { ProblemNotice } from './account-problem';
import { ChoosePassword } from './choose-password';
import { CodeForm } from './code-form';
import { SecondStep } from './second-step';
import { SignInForm } from './sign-in-form';
import { StaffSetUp } from './staff-set-up';
import { WayButtons } from './way-buttons';

const LINK = 'font-semibold text-brand underline underline-offset-4';

type BackProps = { words?: string; onBack: () => void };

function Back({ words = 'Use another email', onBack }: BackProps) {
  return (
    <Button variant="quiet" size="sm" onClick={onBack}>
      {words}
    </Button>
  );
}

/** What an address brought here that did not work. */
function Broken({ hash }: { hash: string }) {
  if (!linkError(hash)) return null;
  if (providerError(hash)) {
    return (
      <Alert tone="warn" title="You are not signed in" className="mb-5" live>
        The other service did not say who you are. Try it again, or use another way.
      </Alert>
    );
  }
  return (
    <Alert tone="warn" title="That link did not work" className="mb-5" live>
      It was used already, or it is too old. Sign in below; if your email is not confirmed yet, you
      get a new code.
    </Alert>
  );
}

/** Says neither that there is such an account nor that there is none. */
function MaybeSent({ email, back }: { email: string; back: string }) {
  return (
    <p>
      If there is an account with <strong className="break-words">{shownAddress(email)}</strong>, we
      have sent a code to it. Type it here; it works for ten minutes. If none comes, check the
      address or{' '}
      <AppLink to={accountPath('/sign-up', back)} className={LINK}>
        create an account
      </AppLink>
      .
    </p>
  );
}

type Waiting = { for: 'code'; email: string } | ({ for: 'proof' } & SignInValues);

type CodeStageProps = {
  waiting: Waiting;
  back: string;
  onBack: () => void;
  onRedeeming: (begun: boolean) => void;
  onConfirmed: (needed: boolean, typed?: string) => void;
};

function CodeStage({ waiting, back, onBack, onRedeeming, onConfirmed }: CodeStageProps) {
  const { email } = waiting;
  if (waiting.for === 'code') {
    return (
      <AccountFrame title="Check Your Mail" lead="No password needed.">
        <CodeForm
          email={email}
          kind="email"
          onRedeeming={onRedeeming}
          // Signing in by code needs no password; one can be chosen in the account.
          onDone={() => onConfirmed(false)}
          back={<Back words="Back" onBack={onBack} />}
        >
          <MaybeSent email={email} back={back} />
        </CodeForm>
      </AccountFrame>
    );
  }
  return (
    <AccountFrame title="Confirm Your Email" lead="One short step is left.">
      <CodeForm
        email={email}
        kind="signup"
        startSeconds={0}
        onRedeeming={onRedeeming}
        onDone={(needed) => onConfirmed(needed, waiting.password)}
        back={<Back onBack={onBack} />}
      />
    </AccountFrame>
  );
}

type StartProps = {
  back: string;
  hash: string;
  onDone: () => void;
  onWaiting: (waiting: Waiting) => void;
};

/** A link of a mail leads here from a booking, which is named. */
function leadOf(back: string): string {
  const bookingId = new URLSearchParams(back.split('?')[1]).get('b');
  return bookingId ? `To see your booking ${bookingReference(bookingId)}.` : 'Welcome back.';
}

function Start({ back, hash, onDone, onWaiting }: StartProps) {
  const passkey = usePasskeySignIn(onDone);
  const provider = useProviderReturn(onDone);
  const problem = provider.problem ?? passkey.problem;
  const foot = (
    <p>
      New here?{' '}
      <AppLink to={accountPath('/sign-up', back)} className={LINK}>
        Create an account
      </AppLink>
    </p>
  );
  if (provider.returning) {
    return (
      <AccountFrame title="Sign In">
        <p role="status">One moment…</p>
      </AccountFrame>
    );
  }
  return (
    <AccountFrame title="Sign In" lead={leadOf(back)} foot={foot}>
      <Broken hash={hash} />
      {problem ? (
        <div className="mb-5">
          <ProblemNotice problem={problem} />
        </div>
      ) : null}
      <SignInForm
        back={back}
        onDone={onDone}
        onCodeSent={(email) => onWaiting({ for: 'code', email })}
        onUnconfirmed={(email, password) => onWaiting({ for: 'proof', email, password })}
      />
      <WayButtons back={back} passkey={{ ...passkey, press: () => void passkey.press() }} />
    </AccountFrame>
  );
}

type StaffStageProps = { until: Date | undefined; back: string; leave: () => void };

function StaffStage({ until, back, leave }: StaffStageProps) {
  return (
    <AccountFrame title="Set Up a Second Step">
      <StaffSetUp until={until}>
        <div className="flex flex-col gap-3">
          <Button to={setUpPath(back)} size="lg" block>
            Set it up now
          </Button>
          {isOverdue(until, serverDate()) ? null : (
            <Button variant="quiet" block onClick={leave}>
              Later
            </Button>
          )}
        </div>
      </StaffSetUp>
    </AccountFrame>
  );
}

type SecondStageProps = { onRestart: () => void; children: ReactNode };

function SecondStage({ onRestart, children }: SecondStageProps) {
  return (
    <AccountFrame
      title="One More Step"
      lead="Your account asks for a second proof."
      foot={<Back words="Sign in with another account" onBack={onRestart} />}
    >
      {children}
    </AccountFrame>
  );
}

/** /sign-in: also where the links of mails and other services lead back to. */
export function SignInPage() {
  const auth = useAuth();
  const { back, leave } = useReturn();
  const { next, arrive, restart } = useArrival(leave, { leadsStaff: true });
  const [waiting, setWaiting] = useState<Waiting>();
  const finish = useCallback(() => void arrive(), [arrive]);
  const { choosing, redeeming, onRedeeming, onConfirmed } = useConfirmed(finish);
  const [hash] = useState(() => window.location.hash);
  const signedIn = auth.status === 'signed-in';

  useEffect(() => {
    if (signedIn && !redeeming.current) finish();
  }, [signedIn, redeeming, finish]);

  function startAgain() {
    signOut();
    setWaiting(undefined);
    restart();
  }

  if (choosing) return <ChoosePassword onDone={finish} />;
  if (next.name === 'second-step') {
    return (
      <SecondStage onRestart={startAgain}>
        <SecondStep factors={next.factors} onDone={leave} />
      </SecondStage>
    );
  }
  if (next.name === 'set-up') {
    return <StaffStage until={next.until} back={back} leave={leave} />;
  }
  if (waiting) {
    return (
      <CodeStage
        waiting={waiting}
        back={back}
        onBack={() => setWaiting(undefined)}
        onRedeeming={onRedeeming}
        onConfirmed={(needed, typed) => void onConfirmed(needed, typed)}
      />
    );
  }
  return <Start back={back} hash={hash} onDone={finish} onWaiting={setWaiting} />;
}
