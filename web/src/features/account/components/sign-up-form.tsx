import type { FormEvent } from 'react';
import { Button } from '@/components/ui/button';
import { ErrorSummary } from '@/components/ui/error-summary';
import { PasswordField } from '@/components/ui/password-field';
import { TextField } from '@/components/ui/text-field';
import { useFields } from '@/lib/use-fields';
import { PASSWORD_MIN, type SignUpValues, validateSignUp } from '../account-rules';
import type { AccountField } from '../account-words';
import { useAuthCall } from '../hooks/use-auth-call';
import { accountPath } from '../return-path';
import { ProblemNotice } from './account-problem';

const EMPTY: SignUpValues = { firstName: '', lastName: '', email: '', phone: '', password: '' };

const OWN_FIELDS: readonly (AccountField | undefined)[] = ['email', 'phone', 'password'];

type SignUpFormProps = {
  back: string;
  onDone: () => void;
  /** The account waits for the code of the mail. */
  onCodeSent: (email: string) => void;
};

function SignUpFields({ fields }: { fields: ReturnType<typeof useFields<SignUpValues>> }) {
  return (
    <>
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField label="First name" autoComplete="given-name" {...fields.input('firstName')} />
        <TextField label="Last name" autoComplete="family-name" {...fields.input('lastName')} />
      </div>
      <TextField
        label="Email"
        type="email"
        inputMode="email"
        autoComplete="email"
        {...fields.input('email')}
      />
      <TextField
        label="Phone"
        optional
        type="tel"
        inputMode="tel"
        autoComplete="tel"
        {...fields.input('phone')}
      />
      <PasswordField
        kind="new-password"
        hint={`At least ${PASSWORD_MIN} characters. A few words in a row make a good one.`}
        {...fields.input('password')}
      />
    </>
  );
}

export function SignUpForm({ back, onDone, onCodeSent }: SignUpFormProps) {
  const fields = useFields<SignUpValues>(EMPTY, validateSignUp);
  const call = useAuthCall();

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    call.clear();
    if (call.busy || !fields.check()) return;
    const { firstName, lastName, phone, password } = fields.values;
    const email = fields.values.email.trim();
    const data = { firstName: firstName.trim(), lastName: lastName.trim(), phone: phone.trim() };
    // The link in the mail opens the sign-in page, which leads back to where this began.
    const emailRedirectTo = `${window.location.origin}${accountPath('/sign-in', back)}`;
    const options = { data, emailRedirectTo };
    const answer = await call.run((client) => client.signUp({ email, password, options }));
    if ('data' in answer) {
      if (answer.data.session) onDone();
      else onCodeSent(email);
      return;
    }
    const { field, message } = answer.problem;
    if (field && OWN_FIELDS.includes(field)) fields.refuse({ [field]: message });
  }

  const shownAtField = OWN_FIELDS.includes(call.problem?.field) && call.problem?.field;
  const exists = call.problem?.code === 'user_already_exists';
  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)} className="flex flex-col gap-5">
      {shownAtField && !exists ? null : (
        <ProblemNotice
          problem={call.problem}
          action={
            exists ? (
              <Button to={accountPath('/sign-in', back)} variant="secondary" size="sm">
                Sign In
              </Button>
            ) : undefined
          }
        />
      )}
      {exists ? null : <ErrorSummary errors={fields.errors} attempt={fields.refusals} />}
      <SignUpFields fields={fields} />
      <Button type="submit" size="lg" block busy={call.busy} busyText="Creating your account…">
        Create Account
      </Button>
      <p className="text-sm text-ink-2">
        We use your details to book sessions and to reach you about them. We never sell or share
        them.
      </p>
    </form>
  );
}
