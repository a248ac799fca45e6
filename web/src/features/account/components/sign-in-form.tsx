import type { FormEvent } from 'react';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { EmailField } from '@/components/ui/contact-fields';
import { ErrorSummary } from '@/components/ui/error-summary';
import { PasswordField } from '@/components/ui/password-field';
import { useFields } from '@/lib/use-fields';
import { type SignInValues, validateEmail, validateSignIn } from '../account-rules';
import { useAuthCall } from '../hooks/use-auth-call';
import { useSpacing } from '../hooks/use-spacing';
import { accountPath } from '../return-path';
import { ProblemNotice } from './account-problem';

type SignInFormProps = {
  back: string;
  onDone: () => void;
  /** The password was right, but the address is not confirmed yet. */
  onUnconfirmed: (email: string, password: string) => void;
  /** A code was sent, if there is such an account. */
  onCodeSent: (email: string) => void;
  /** A session may begin, or none began after all. */
  onRedeeming?: (begun: boolean) => void;
  /** The address, where it is known already. */
  email?: string | undefined;
};

type Person = { fields: ReturnType<typeof useFields<SignInValues>>; call: Call };
type Call = ReturnType<typeof useAuthCall>;

/** The way that stays open while guesses at the account, or of its network, have to wait. */
function ByMail({ back }: { back: string }) {
  return (
    <Button variant="secondary" size="sm" to={accountPath('/recover', back)}>
      Use a code by mail
    </Button>
  );
}

/** The problem, with a way on where there is one. */
function Problem({ call, back }: { call: Call; back: string }) {
  const code = call.problem?.code;
  if (code === 'otp_disabled') return null;
  const action = code === 'over_request_rate_limit' ? <ByMail back={back} /> : undefined;
  return <ProblemNotice problem={call.problem} action={action} />;
}

/** Sends a code to the typed address; whether there is such an account is not said. */
function useCode({ fields, call }: Person, { back, onCodeSent }: SignInFormProps) {
  return async () => {
    call.clear();
    const email = fields.values.email.trim();
    const wrong = validateEmail({ email });
    if (wrong.email) {
      fields.refuse(wrong);
      return undefined;
    }
    const emailRedirectTo = `${window.location.origin}${accountPath('/sign-in', back)}`;
    const options = { shouldCreateUser: false, emailRedirectTo };
    const answer = await call.run((client) => client.signInWithOtp({ email, options }));
    if ('data' in answer || answer.problem.code === 'otp_disabled') {
      onCodeSent(email);
      return undefined;
    }
    return answer.problem.seconds;
  };
}

/** Signs in with the password; says how long to wait, where that is asked for. */
function usePassword({ fields, call }: Person, props: SignInFormProps) {
  const { onDone, onUnconfirmed, onRedeeming } = props;
  return async () => {
    call.clear();
    if (!fields.check()) return undefined;
    const { password } = fields.values;
    const email = fields.values.email.trim();
    onRedeeming?.(true);
    const answer = await call.run((client) => client.signInWithPassword({ email, password }));
    if ('data' in answer) {
      onDone();
      return undefined;
    }
    onRedeeming?.(false);
    if (answer.problem.code === 'email_not_confirmed') onUnconfirmed(email, password);
    return answer.problem.seconds;
  };
}

export function SignInForm(props: SignInFormProps) {
  const { back, email } = props;
  const fields = useFields<SignInValues>({ email: email ?? '', password: '' }, validateSignIn);
  const call = useAuthCall();
  const spacing = useSpacing(0);
  const signIn = usePassword({ fields, call }, props);
  const sendCode = useCode({ fields, call }, props);

  async function attempt(work: () => Promise<number | undefined>) {
    if (call.busy || spacing.left > 0) return;
    const seconds = await work();
    if (seconds) spacing.restart(seconds);
  }

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    void attempt(signIn);
  }

  const { left } = spacing;
  return (
    <form noValidate onSubmit={onSubmit} className="flex flex-col gap-5">
      <ErrorSummary errors={fields.errors} attempt={fields.refusals} />
      <Problem call={call} back={back} />
      <EmailField autoComplete="username webauthn" {...fields.input('email')} />
      <PasswordField kind="current-password" {...fields.input('password')} />
      <p className="-mt-2">
        <AppLink
          to={accountPath('/recover', back)}
          className="text-brand underline underline-offset-4"
        >
          Forgot your password?
        </AppLink>
      </p>
      <Button
        type="submit"
        size="lg"
        block
        className="numeric"
        disabled={left > 0}
        busy={call.busy}
        busyText="One moment…"
      >
        {left > 0 ? `Try again in ${left} s` : 'Sign In'}
      </Button>
      <Button
        variant="secondary"
        block
        disabled={left > 0 || call.busy}
        onClick={() => void attempt(sendCode)}
      >
        Email me a code
      </Button>
    </form>
  );
}
