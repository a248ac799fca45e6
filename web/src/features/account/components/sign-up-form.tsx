import type { FormEvent } from 'react';
import { Button } from '@/components/ui/button';
import { EmailField, NameFields, PhoneField } from '@/components/ui/contact-fields';
import { ErrorSummary } from '@/components/ui/error-summary';
import { PasswordField } from '@/components/ui/password-field';
import { useFields } from '@/lib/use-fields';
import type { AccountField } from '../account-messages';
import { PASSWORD_MIN, type SignUpValues, validateSignUp } from '../account-rules';
import { useAuthCall } from '../hooks/use-auth-call';
import { accountPath } from '../return-path';
import { keepSignUpSecret } from '../sign-up-secret';
import { ProblemNotice } from './account-problem';
import { Agreed } from './agreed';

const EMPTY: SignUpValues = { firstName: '', lastName: '', email: '', phone: '', password: '' };

const OWN_FIELDS: readonly (AccountField | undefined)[] = ['email', 'phone', 'password'];

type SignUpFormProps = {
  back: string;
  onDone: () => void;
  /** The account waits for the code of the mail. */
  onCodeSent: (email: string, password: string) => void;
  /** What is known of the person already. */
  known?: Partial<SignUpValues>;
  /** Leads to signing in, where another page has the forms; else a link does. */
  onExisting?: () => void;
};

const SIGN_IN = { variant: 'secondary', size: 'sm' } as const;

/** The way on for an account that exists. */
function ToSignIn({ back, onExisting }: Pick<SignUpFormProps, 'back' | 'onExisting'>) {
  return onExisting ? (
    <Button {...SIGN_IN} onClick={onExisting}>
      Sign In
    </Button>
  ) : (
    <Button {...SIGN_IN} to={accountPath('/sign-in', back)}>
      Sign In
    </Button>
  );
}

function SignUpFields({ fields }: { fields: ReturnType<typeof useFields<SignUpValues>> }) {
  return (
    <>
      <div className="grid gap-5 sm:grid-cols-2">
        <NameFields fields={fields} />
      </div>
      <EmailField {...fields.input('email')} />
      <PhoneField optional {...fields.input('phone')} />
      <PasswordField
        kind="new-password"
        hint={`At least ${PASSWORD_MIN} characters. A few words in a row make a good one.`}
        {...fields.input('password')}
      />
    </>
  );
}

export function SignUpForm(props: SignUpFormProps) {
  const { back, onDone, onCodeSent, known, onExisting } = props;
  const fields = useFields<SignUpValues>({ ...EMPTY, ...known }, validateSignUp);
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
      if (answer.data.session) {
        onDone();
        return;
      }
      keepSignUpSecret(answer.data.user);
      onCodeSent(email, password);
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
          action={exists ? <ToSignIn back={back} onExisting={onExisting} /> : undefined}
        />
      )}
      {exists ? null : <ErrorSummary errors={fields.errors} attempt={fields.refusals} />}
      <SignUpFields fields={fields} />
      <Button type="submit" size="lg" block busy={call.busy} busyText="Creating your account…">
        Create Account
      </Button>
      <Agreed />
    </form>
  );
}
