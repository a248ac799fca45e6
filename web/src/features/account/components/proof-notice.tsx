/** What went wrong with a call, and in the same place the proof that it asks for. */
import type { Factor } from '@supabase/auth-js';
import { type ReactNode, useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { authClient } from '@/lib/auth';
import type { AccountProblem } from '../account-messages';
import { CODE_LENGTH, type CodeValues, codeDigits } from '../account-rules';
import { askForNonce, showNonce } from '../api/account-calls';
import { useCall } from '../hooks/use-call';
import { codeFactorsOf, nextStep } from '../second-factor';
import { ProblemNotice } from './account-problem';
import { CodeStep } from './code-step';
import { SecondStep } from './second-step';

type ProofNoticeProps = {
  problem: AccountProblem | undefined;
  /** The session is proved: the same call is allowed now. */
  onProved: () => void;
};

function sixDigits({ code }: CodeValues): { code?: string } {
  const right = codeDigits(code).length === CODE_LENGTH;
  return right ? {} : { code: `Enter the ${CODE_LENGTH} digits of our mail` };
}

type AskedProps = {
  title: string;
  words: string;
  button: string;
  /** What the press needs before the proof can be given. */
  begin: () => Promise<void>;
  children: ReactNode;
};

/** The words of the refusal with its button; what is pressed for stands in their place. */
function Asked({ title, words, button, begin, children }: AskedProps) {
  const [begun, setBegun] = useState(false);
  const call = useCall();

  async function press() {
    const answer = await call.run(begin);
    if ('data' in answer) setBegun(true);
  }

  if (begun) return <div className="flex flex-col gap-5">{children}</div>;
  return (
    <>
      <ProblemNotice problem={call.problem} />
      <Alert
        tone="warn"
        live
        title={title}
        action={
          <Button size="sm" busy={call.busy} busyText="One moment…" onClick={() => void press()}>
            {button}
          </Button>
        }
      >
        {words}
      </Alert>
    </>
  );
}

function ByMail({ onProved }: { onProved: () => void }) {
  return (
    <Asked
      title="Confirm it's you first"
      words="For this we need a code that we send to your email. A password is not enough."
      button="Email me a code"
      begin={askForNonce}
    >
      <CodeStep
        label={`${CODE_LENGTH}-digit code from our mail`}
        validate={sixDigits}
        numeric
        wrong="That code is wrong or has expired. Check it, or ask for a new one."
        redeem={(code) => showNonce(codeDigits(code))}
        onDone={onProved}
      />
    </Asked>
  );
}

function BySecondStep({ onProved }: { onProved: () => void }) {
  const [factors, setFactors] = useState<readonly Factor[]>([]);

  async function begin() {
    const client = await authClient();
    const step = await nextStep(client, 'of everyone');
    // A session that has shown its second step is asked for it once more.
    if (step.name === 'second-step') setFactors(step.factors);
    else setFactors(codeFactorsOf((await client.getSession()).data.session?.user));
  }

  return (
    <Asked
      title="Confirm it's you first"
      words="This needs your second step."
      button="Use my second step"
      begin={begin}
    >
      <SecondStep factors={factors} onDone={onProved} />
    </Asked>
  );
}

export function ProofNotice({ problem, onProved }: ProofNoticeProps) {
  if (problem?.code === 'reauthentication_needed') return <ByMail onProved={onProved} />;
  if (problem?.code === 'insufficient_aal') return <BySecondStep onProved={onProved} />;
  return <ProblemNotice problem={problem} />;
}
