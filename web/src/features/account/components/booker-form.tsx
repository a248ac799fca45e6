/** Signing in for a booking: a name, an address and one code. A stranger gets an account by it. */
import { type FormEvent, useState } from 'react';
import { Button } from '@/components/ui/button';
import { EmailField, PhoneField } from '@/components/ui/contact-fields';
import { ErrorSummary } from '@/components/ui/error-summary';
import { TextField } from '@/components/ui/text-field';
import { useFields } from '@/lib/use-fields';
import { type BookerValues, splitName, validateBooker } from '../account-rules';
import { useAuthCall } from '../hooks/use-auth-call';
import { useSpacing } from '../hooks/use-spacing';
import { ProblemNotice } from './account-problem';
import { Agreed } from './agreed';
import { CodeForm } from './code-form';

type BookerFormProps = {
  /** Where the links of mails lead back to. */
  back: string;
  /** What is known of the person already. */
  known?: Partial<BookerValues> | undefined;
  onDone: () => void;
  /** A code is being redeemed, or was refused. */
  onRedeeming?: (begun: boolean) => void;
};

type FieldsProps = { fields: ReturnType<typeof useFields<BookerValues>> };

function BookerFields({ fields }: FieldsProps) {
  return (
    <>
      <TextField label="Your name" autoComplete="name" {...fields.input('name')} />
      <EmailField {...fields.input('email')} />
      <PhoneField optional {...fields.input('phone')} />
    </>
  );
}

/** The code is on its way to this address. */
function useSendCode(fields: FieldsProps['fields'], back: string) {
  const call = useAuthCall();
  const spacing = useSpacing(0);
  const [sentTo, setSentTo] = useState('');

  async function send() {
    call.clear();
    if (call.busy || spacing.left > 0 || !fields.check()) return;
    const email = fields.values.email.trim();
    const data = { ...splitName(fields.values.name), phone: fields.values.phone.trim() };
    const emailRedirectTo = new URL(back, window.location.origin).href;
    const options = { shouldCreateUser: true, data, emailRedirectTo };
    const answer = await call.run((client) => client.signInWithOtp({ email, options }));
    if ('data' in answer) {
      setSentTo(email);
      return;
    }
    const { field, message, seconds } = answer.problem;
    if (seconds) spacing.restart(seconds);
    if (field === 'email' || field === 'phone') fields.refuse({ [field]: message });
  }

  return { call, left: spacing.left, send, sentTo, anew: () => setSentTo('') };
}

export function BookerForm({ back, known, onDone, onRedeeming }: BookerFormProps) {
  const empty = { name: '', email: '', phone: '' };
  const fields = useFields<BookerValues>({ ...empty, ...known }, validateBooker);
  const { call, left, send, sentTo, anew } = useSendCode(fields, back);

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    void send();
  }

  if (sentTo) {
    return (
      <CodeForm
        email={sentTo}
        kind="email"
        {...(onRedeeming ? { onRedeeming } : {})}
        onDone={onDone}
        back={
          <Button variant="quiet" size="sm" onClick={anew}>
            Use another email
          </Button>
        }
      />
    );
  }
  const atField = call.problem?.field === 'email' || call.problem?.field === 'phone';
  return (
    <form noValidate onSubmit={onSubmit} className="flex flex-col gap-5">
      <ErrorSummary errors={fields.errors} attempt={fields.refusals} />
      {atField ? null : <ProblemNotice problem={call.problem} />}
      <BookerFields fields={fields} />
      <Button
        type="submit"
        size="lg"
        block
        className="numeric"
        disabled={left > 0}
        busy={call.busy}
        busyText="Sending the code…"
      >
        {left > 0 ? `Try again in ${left} s` : 'Email me a code'}
      </Button>
      <Agreed begins="With the code you sign in, or make an account, and" />
    </form>
  );
}
