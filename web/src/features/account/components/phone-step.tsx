/** The second step by a code that is sent to a phone. */
import type { Factor } from '@supabase/auth-js';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { authClient } from '@/lib/auth';
import { CODE_LENGTH, type CodeValues, codeDigits } from '../account-rules';
import { dataOf } from '../hooks/use-auth-call';
import { useCall } from '../hooks/use-call';
import { RESEND_SECONDS, useSpacing } from '../hooks/use-spacing';
import { endOfNumber } from '../second-factor';
import { ProblemNotice } from './account-problem';
import { CodeStep } from './code-step';

type PhoneStepProps = { phones: readonly Factor[]; onDone: () => void };

/** A code that is on its way. */
type Sent = { factorId: string; challengeId: string };

function sixDigits({ code }: CodeValues): { code?: string } {
  const right = codeDigits(code).length === CODE_LENGTH;
  return right ? {} : { code: `Enter the ${CODE_LENGTH} digits of the message` };
}

async function send(factorId: string): Promise<Sent> {
  const { mfa } = await authClient();
  const challenge = await dataOf(mfa.challenge({ factorId, channel: 'sms' }));
  return { factorId, challengeId: challenge?.id ?? '' };
}

async function redeem(sent: Sent, typed: string): Promise<void> {
  const { mfa } = await authClient();
  await dataOf(mfa.verify({ ...sent, code: codeDigits(typed) }));
}

export function PhoneStep({ phones, onDone }: PhoneStepProps) {
  const [sent, setSent] = useState<Sent>();
  const call = useCall();
  const spacing = useSpacing(0);

  async function press(factorId: string) {
    const answer = await call.run(() => send(factorId));
    if ('data' in answer) setSent(answer.data);
    const refused = 'problem' in answer ? answer.problem : undefined;
    if (!refused || refused.seconds) spacing.restart(refused?.seconds ?? RESEND_SECONDS);
  }

  function words(phone: Factor): string {
    if (spacing.left > 0) return `Send a new code to ${endOfNumber(phone)} in ${spacing.left} s`;
    return `Send a ${sent ? 'new code' : 'code'} to ${endOfNumber(phone)}`;
  }

  return (
    <div className="flex flex-col gap-5">
      <ProblemNotice problem={call.problem} />
      <p role="status" className={sent ? undefined : 'sr-only'}>
        {sent ? 'The code is on its way. It works for five minutes.' : ''}
      </p>
      {sent ? (
        <CodeStep
          key={sent.challengeId}
          label={`${CODE_LENGTH}-digit code`}
          validate={sixDigits}
          numeric
          wrong="That code is not right. Check it, or let us send a new one."
          redeem={(code) => redeem(sent, code)}
          onDone={onDone}
        />
      ) : null}
      {phones.map((phone) => (
        <Button
          key={phone.id}
          variant={sent ? 'quiet' : 'primary'}
          block={!sent}
          className="numeric"
          disabled={spacing.left > 0}
          busy={call.busy}
          busyText="Sending…"
          onClick={() => void press(phone.id)}
        >
          {words(phone)}
        </Button>
      ))}
    </div>
  );
}
