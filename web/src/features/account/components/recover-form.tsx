import type { Factor } from '@supabase/auth-js';
import { type FormEvent, useState } from 'react';
import { Button } from '@/components/ui/button';
import { EmailField } from '@/components/ui/contact-fields';
import { ErrorSummary } from '@/components/ui/error-summary';
import { PasswordField } from '@/components/ui/password-field';
import { authClient } from '@/lib/auth';
import { useFields } from '@/lib/use-fields';
import {
  type EmailValues,
  PASSWORD_MIN,
  type PasswordValues,
  validateEmail,
  validatePassword,
} from '../account-rules';
import { useAuthCall } from '../hooks/use-auth-call';
import { accountPath } from '../return-path';
import { codeFactorsOf } from '../second-factor';
import { ProblemNotice } from './account-problem';
import { SecondStep } from './second-step';

type RecoverEmailFormProps = { back: string; onCodeSent: (email: string) => void };

/** Asks where to send the code. The answer does not say whether there is an account. */
export function RecoverEmailForm({ back, onCodeSent }: RecoverEmailFormProps) {
  const fields = useFields<EmailValues>({ email: '' }, validateEmail);
  const call = useAuthCall();

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    call.clear();
    if (call.busy || !fields.check()) return;
    const email = fields.values.email.trim();
    const redirectTo = `${window.location.origin}${accountPath('/recover', back)}`;
    const answer = await call.run((client) => client.resetPasswordForEmail(email, { redirectTo }));
    if ('data' in answer) onCodeSent(email);
  }

  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)} className="flex flex-col gap-5">
      <ErrorSummary errors={fields.errors} attempt={fields.refusals} />
      <ProblemNotice problem={call.problem} />
      <EmailField {...fields.input('email')} />
      <Button type="submit" size="lg" block busy={call.busy} busyText="Sending the code…">
        Send me a code
      </Button>
    </form>
  );
}

async function ownFactors(): Promise<readonly Factor[]> {
  const { data } = await (await authClient()).getUser();
  return codeFactorsOf(data.user);
}

/** Takes the new password, once the code was right. */
export function NewPasswordForm({ onDone }: { onDone: () => void }) {
  const fields = useFields<PasswordValues>({ password: '' }, validatePassword);
  const call = useAuthCall();
  // The account has a second step, which a new password asks for.
  const [factors, setFactors] = useState<readonly Factor[]>();

  async function save() {
    const { password } = fields.values;
    const answer = await call.run((client) => client.updateUser({ password }));
    if ('data' in answer) onDone();
    else if (answer.problem.code === 'insufficient_aal') setFactors(await ownFactors());
    else if (answer.problem.field === 'password') {
      fields.refuse({ password: answer.problem.message });
    }
  }

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    call.clear();
    if (!call.busy && fields.check()) void save();
  }

  function proved() {
    setFactors(undefined);
    void save();
  }

  if (factors) return <SecondStep factors={factors} onDone={proved} />;
  return (
    <form noValidate onSubmit={onSubmit} className="flex flex-col gap-5">
      <ErrorSummary errors={fields.errors} attempt={fields.refusals} />
      {call.problem?.field === 'password' ? null : <ProblemNotice problem={call.problem} />}
      <PasswordField
        label="New password"
        kind="new-password"
        hint={`At least ${PASSWORD_MIN} characters. A few words in a row make a good one.`}
        {...fields.input('password')}
      />
      <Button type="submit" size="lg" block busy={call.busy} busyText="Saving your password…">
        Save New Password
      </Button>
    </form>
  );
}
