import type { FormEvent } from 'react';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { ErrorSummary } from '@/components/ui/error-summary';
import { PasswordField } from '@/components/ui/password-field';
import { TextField } from '@/components/ui/text-field';
import { useFields } from '@/lib/use-fields';
import { type SignInValues, validateSignIn } from '../account-rules';
import { useAuthCall } from '../hooks/use-auth-call';
import { accountPath } from '../return-path';
import { ProblemNotice } from './account-problem';

type SignInFormProps = {
  back: string;
  onDone: () => void;
  /** The password was right, but the address is not confirmed yet. */
  onUnconfirmed: (email: string, password: string) => void;
  /** The address, where it is known already. */
  email?: string | undefined;
};

/** The way that stays open while guesses at the account, or of its network, have to wait. */
function ByMail({ back }: { back: string }) {
  return (
    <Button variant="secondary" size="sm" to={accountPath('/recover', back)}>
      Use a code by mail
    </Button>
  );
}

export function SignInForm({ back, onDone, onUnconfirmed, email: known }: SignInFormProps) {
  const fields = useFields<SignInValues>({ email: known ?? '', password: '' }, validateSignIn);
  const call = useAuthCall();

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    call.clear();
    if (call.busy || !fields.check()) return;
    const { password } = fields.values;
    const email = fields.values.email.trim();
    const answer = await call.run((client) => client.signInWithPassword({ email, password }));
    if ('data' in answer) onDone();
    else if (answer.problem.code === 'email_not_confirmed') onUnconfirmed(email, password);
  }

  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)} className="flex flex-col gap-5">
      <ErrorSummary errors={fields.errors} attempt={fields.refusals} />
      <ProblemNotice
        problem={call.problem}
        action={
          call.problem?.code === 'over_request_rate_limit' ? <ByMail back={back} /> : undefined
        }
      />
      <TextField
        label="Email"
        type="email"
        inputMode="email"
        autoComplete="username"
        {...fields.input('email')}
      />
      <PasswordField kind="current-password" {...fields.input('password')} />
      <p className="-mt-2">
        <AppLink
          to={accountPath('/recover', back)}
          className="text-brand underline underline-offset-4"
        >
          Forgot your password?
        </AppLink>
      </p>
      <Button type="submit" size="lg" block busy={call.busy} busyText="Signing in…">
        Sign In
      </Button>
    </form>
  );
}
