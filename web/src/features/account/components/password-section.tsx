/** Sets or changes the password: with the one in use, or with the code of a mail. */
import { type FormEvent, useState } from 'react';
import { Button } from '@/components/ui/button';
import { ErrorSummary } from '@/components/ui/error-summary';
import { PasswordField } from '@/components/ui/password-field';
import { TextField } from '@/components/ui/text-field';
import { toast } from '@/components/ui/toast-store';
import { type Fields, useFields } from '@/lib/use-fields';
import {
  CODE_LENGTH,
  codeDigits,
  type NewPasswordValues,
  PASSWORD_MIN,
  validateChange,
  validateChangeByCode,
} from '../account-rules';
import { useAuthCall } from '../hooks/use-auth-call';
import { useRefreshAccount } from '../hooks/use-own-user';
import { RESEND_SECONDS, useSpacing } from '../hooks/use-spacing';
import { ProblemNotice } from './account-problem';
import { Section } from './section';

const EMPTY: NewPasswordValues = { currentPassword: '', code: '', password: '' };

type Proof = 'password' | 'code';

/** Sends the code that takes the place of the password in use. */
function useNonce(onSent: () => void) {
  const call = useAuthCall();
  const spacing = useSpacing(0);

  async function send() {
    const answer = await call.run(async (client) => {
      const { error } = await client.reauthenticate();
      return { data: null, error };
    });
    const refused = 'problem' in answer ? answer.problem : undefined;
    spacing.restart(refused ? (refused.seconds ?? 0) : RESEND_SECONDS);
    if (!refused) onSent();
  }

  return { call, left: spacing.left, send };
}

type ProofFieldProps = { proof: Proof; fields: Fields<NewPasswordValues> };

function ProofField({ proof, fields }: ProofFieldProps) {
  if (proof === 'password') {
    return (
      <PasswordField
        label="Current password"
        kind="current-password"
        {...fields.input('currentPassword')}
      />
    );
  }
  return (
    <TextField
      label={`${CODE_LENGTH}-digit code`}
      hint="We have sent it to your email. It works for ten minutes."
      inputMode="numeric"
      autoComplete="one-time-code"
      {...fields.input('code')}
    />
  );
}

type PasswordFormProps = { proof: Proof; onSaved: () => void; onCodeNeeded: () => void };

function PasswordForm({ proof, onSaved, onCodeNeeded }: PasswordFormProps) {
  const validate = proof === 'code' ? validateChangeByCode : validateChange;
  const fields = useFields<NewPasswordValues>(EMPTY, validate);
  const call = useAuthCall();

  function refuse(code: string, field: string | undefined, message: string) {
    if (code === 'reauthentication_needed') onCodeNeeded();
    else if (code === 'invalid_credentials' || field === 'currentPassword') {
      fields.refuse({ currentPassword: 'This is not your current password' });
    } else if (field === 'password' || field === 'code') fields.refuse({ [field]: message });
  }

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    call.clear();
    if (call.busy || !fields.check()) return;
    const { currentPassword, code, password } = fields.values;
    const shown =
      proof === 'code' ? { nonce: codeDigits(code) } : { current_password: currentPassword };
    const answer = await call.run((client) => client.updateUser({ password, ...shown }));
    if ('data' in answer) {
      fields.replace(EMPTY);
      onSaved();
    } else refuse(answer.problem.code, answer.problem.field, answer.problem.message);
  }

  const atField = Object.keys(fields.errors).length > 0;
  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)} className="flex flex-col gap-5">
      <ErrorSummary errors={fields.errors} attempt={fields.refusals} />
      {atField ? null : <ProblemNotice problem={call.problem} />}
      <ProofField proof={proof} fields={fields} />
      <PasswordField
        label="New password"
        kind="new-password"
        hint={`At least ${PASSWORD_MIN} characters. A few words in a row make a good one.`}
        {...fields.input('password')}
      />
      <Button
        type="submit"
        variant="secondary"
        className="self-start"
        busy={call.busy}
        busyText="Saving your password…"
      >
        Save New Password
      </Button>
    </form>
  );
}

export function PasswordSection({ userId }: { userId: string }) {
  const [proof, setProof] = useState<Proof>('password');
  // A form that was saved begins anew, without its errors.
  const [saved, setSaved] = useState(0);
  const nonce = useNonce(() => setProof('code'));
  const refresh = useRefreshAccount(userId);

  function onSaved() {
    setProof('password');
    setSaved((before) => before + 1);
    toast({ title: 'Password saved', description: 'Your other devices are signed out.' });
    void refresh('sessions');
  }

  const { left } = nonce;
  return (
    <Section
      title="Password"
      lead="You don't need one. You can sign in with an emailed code or a passkey."
    >
      <PasswordForm
        key={saved}
        proof={proof}
        onSaved={onSaved}
        onCodeNeeded={() => void nonce.send()}
      />
      <ProblemNotice problem={nonce.call.problem} />
      <div className="flex flex-wrap gap-2">
        <Button
          variant="quiet"
          size="sm"
          className="-ml-4 numeric"
          disabled={left > 0}
          busy={nonce.call.busy}
          busyText="Sending…"
          onClick={() => void nonce.send()}
        >
          {left > 0
            ? `Send a new code in ${left} s`
            : proof === 'code'
              ? 'Send a new code'
              : 'No password, or forgot it? Email me a code'}
        </Button>
        {proof === 'code' ? (
          <Button variant="quiet" size="sm" onClick={() => setProof('password')}>
            Use my current password
          </Button>
        ) : null}
      </div>
    </Section>
  );
}
