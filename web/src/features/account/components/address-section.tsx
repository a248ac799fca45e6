/** The mail address of the account, and its change: both addresses confirm. */
import type { User } from '@supabase/auth-js';
import { type FormEvent, useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { EmailField } from '@/components/ui/contact-fields';
import { ErrorSummary } from '@/components/ui/error-summary';
import { TextField } from '@/components/ui/text-field';
import { toast } from '@/components/ui/toast-store';
import { shownAddress } from '@/lib/shown-address';
import { useFields } from '@/lib/use-fields';
import {
  type CodeValues,
  codeDigits,
  type EmailValues,
  validateCode,
  validateEmail,
} from '../account-rules';
import { useAuthCall } from '../hooks/use-auth-call';
import { useOwnUser, useRefreshAccount } from '../hooks/use-own-user';
import { RESEND_SECONDS, useSpacing } from '../hooks/use-spacing';
import { redeem } from '../redeem';
import { ProblemNotice } from './account-problem';
import { Read, Section } from './section';

type HalfProps = {
  email: string;
  whose: 'present' | 'new';
  /** The whole change is done by it. */
  onChanged: () => void;
};

/** The code of one of the two mails. */
function Half({ email, whose, onChanged }: HalfProps) {
  const fields = useFields<CodeValues>({ code: '' }, validateCode);
  const call = useAuthCall();
  const [confirmed, setConfirmed] = useState(false);

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    if (call.busy || !fields.check()) return;
    const token = codeDigits(fields.values.code);
    const shown = { email, token, type: 'email_change' } as const;
    const answer = await call.run((client) => redeem(client, shown));
    if ('data' in answer) {
      setConfirmed(true);
      if (answer.data.session) onChanged();
    } else if (answer.problem.field === 'code') fields.refuse({ code: answer.problem.message });
  }

  if (confirmed) {
    return (
      <p role="status" className="font-semibold text-ok wrap-anywhere">
        {shownAddress(email)} is confirmed.
      </p>
    );
  }
  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)} className="flex flex-col gap-3">
      {call.problem?.field === 'code' ? null : <ProblemNotice problem={call.problem} />}
      <TextField
        label={`Code from the mail to your ${whose} address`}
        hint={<span className="wrap-anywhere">{shownAddress(email)}</span>}
        inputMode="numeric"
        autoComplete="one-time-code"
        {...fields.input('code')}
      />
      <Button
        type="submit"
        size="sm"
        variant="secondary"
        className="self-start"
        busy={call.busy}
        busyText="Checking the code…"
      >
        Confirm {whose === 'new' ? 'the new' : 'the present'} address
      </Button>
    </form>
  );
}

type PendingProps = { user: User; newEmail: string; onChanged: () => void };

/** Waits for both codes; either may be typed here, or its link opened. */
function Pending({ user, newEmail, onChanged }: PendingProps) {
  const call = useAuthCall();
  const spacing = useSpacing(0);

  async function again() {
    const answer = await call.run((client) =>
      client.resend({ type: 'email_change', email: newEmail }),
    );
    const seconds = 'problem' in answer ? answer.problem.seconds : undefined;
    spacing.restart(seconds ?? RESEND_SECONDS);
  }

  return (
    <div className="flex flex-col gap-5">
      <Alert title="The change waits for you">
        We have written to both addresses, so that your account cannot be taken from you. Type the
        code of each mail here, or open its link in this browser. Until then everything goes to{' '}
        <strong className="wrap-anywhere">{shownAddress(user.email ?? '')}</strong>.
      </Alert>
      {user.email ? <Half email={user.email} whose="present" onChanged={onChanged} /> : null}
      <Half email={newEmail} whose="new" onChanged={onChanged} />
      <ProblemNotice problem={call.problem} />
      <Button
        variant="quiet"
        size="sm"
        className="-ml-4 self-start numeric"
        disabled={spacing.left > 0}
        busy={call.busy}
        busyText="Sending…"
        onClick={() => void again()}
      >
        {spacing.left > 0 ? `Send the mails again in ${spacing.left} s` : 'Send the mails again'}
      </Button>
    </div>
  );
}

function ChangeForm({ onAsked, user }: { onAsked: () => void; user: User }) {
  const fields = useFields<EmailValues>({ email: '' }, validateEmail);
  const call = useAuthCall();

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    call.clear();
    if (call.busy || !fields.check()) return;
    const email = fields.values.email.trim();
    if (email.toLowerCase() === user.email?.toLowerCase()) {
      fields.refuse({ email: 'This is your address already' });
      return;
    }
    const emailRedirectTo = `${window.location.origin}/account`;
    const answer = await call.run((client) => client.updateUser({ email }, { emailRedirectTo }));
    if ('data' in answer) onAsked();
    else if (answer.problem.code === 'email_exists') {
      fields.refuse({ email: 'This address cannot be used. Please choose another one.' });
    } else if (answer.problem.field === 'email') fields.refuse({ email: answer.problem.message });
  }

  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)} className="flex flex-col gap-5">
      <ErrorSummary errors={fields.errors} attempt={fields.refusals} />
      {call.problem?.field === 'email' ? null : <ProblemNotice problem={call.problem} />}
      <EmailField label="New email" {...fields.input('email')} />
      <Button
        type="submit"
        variant="secondary"
        className="self-start"
        busy={call.busy}
        busyText="Sending the codes…"
      >
        Change my email
      </Button>
    </form>
  );
}

/** The address that we write to, and that signs in. */
export function AddressSection({ userId }: { userId: string }) {
  const reading = useOwnUser(userId);
  const refresh = useRefreshAccount(userId);

  function changed() {
    toast({ title: 'Email changed', description: 'We write to your new address now.' });
    void refresh('user', 'sessions');
  }

  return (
    <Section title="Email">
      <Read reading={reading} missing="Your address could not be read">
        {(user) => (
          <>
            <p className="wrap-anywhere">
              You sign in with <strong>{shownAddress(user.email ?? '')}</strong>, and we write to
              it.
            </p>
            {user.new_email ? (
              <Pending user={user} newEmail={user.new_email} onChanged={changed} />
            ) : (
              <ChangeForm user={user} onAsked={() => void refresh('user')} />
            )}
          </>
        )}
      </Read>
    </Section>
  );
}
