import type { AuthError, GoTrueClient } from '@supabase/auth-js';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { ErrorSummary } from '@/components/ui/error-summary';
import { TextField } from '@/components/ui/text-field';
import { shownAddress } from '@/lib/shown-address';
import { useFields } from '@/lib/use-fields';
import { type CodeValues, codeDigits, validateMailedCode } from '../account-rules';
import { useAuthCall } from '../hooks/use-auth-call';
import { RESEND_SECONDS, useSpacing } from '../hooks/use-spacing';
import { passwordNeeded, redeem } from '../redeem';
import { ProblemNotice } from './account-problem';

type CodeKind = 'signup' | 'recovery' | 'email';

type CodeFormProps = {
  email: string;
  kind: CodeKind;
  /** What is said above the field; that a code was sent, if nothing is said. */
  children?: ReactNode;
  /** Seconds until another mail can be asked for. */
  startSeconds?: number;
  /** The code was right; whether the service asks for a password. */
  onDone: (passwordNeeded: boolean) => void;
  /** A code is being redeemed, or was refused. */
  onRedeeming?: (begun: boolean) => void;
  /** The way back, for a wrong address. */
  back: ReactNode;
};

type Sending = Promise<{ data: unknown; error: AuthError | null }>;

/** Sends the mail again. The account is there by then, or shall not be made by this. */
const SEND_AGAIN: Record<CodeKind, (client: GoTrueClient, email: string) => Sending> = {
  signup: (client, email) => client.resend({ type: 'signup', email }),
  recovery: (client, email) => client.resetPasswordForEmail(email),
  email: (client, email) => client.signInWithOtp({ email, options: { shouldCreateUser: false } }),
};

function Sent({ email }: { email: string }) {
  return (
    <p>
      We have sent a code to <strong className="break-words">{shownAddress(email)}</strong>. Type it
      here, or open the link in the mail; both work for ten minutes.
    </p>
  );
}

type SendAgainProps = Pick<CodeFormProps, 'email' | 'kind' | 'startSeconds' | 'back'>;

/** Another mail, once a while has passed, and the way back. */
function SendAgain({ email, kind, startSeconds, back }: SendAgainProps) {
  const { busy, problem, run } = useAuthCall();
  const spacing = useSpacing(startSeconds ?? RESEND_SECONDS);
  const [sentAgain, setSentAgain] = useState(false);

  async function sendAgain() {
    setSentAgain(false);
    const answer = await run((client) => SEND_AGAIN[kind](client, email));
    const refused = 'problem' in answer ? answer.problem : undefined;
    // Whether there is such an account is not said.
    if (!refused || refused.code === 'otp_disabled') setSentAgain(true);
    spacing.restart(refused?.seconds ?? RESEND_SECONDS);
  }

  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Button
          variant="quiet"
          size="sm"
          className="-ml-4 numeric"
          disabled={spacing.left > 0}
          busy={busy}
          busyText="Sending…"
          onClick={() => void sendAgain()}
        >
          {spacing.left > 0 ? `Send a new code in ${spacing.left} s` : 'Send a new code'}
        </Button>
        {back}
      </div>
      <p role="status" className="text-sm text-ink-2">
        {sentAgain ? 'A new code is on its way. Only the newest one works.' : ''}
      </p>
      {sentAgain ? null : <ProblemNotice problem={problem} />}
    </>
  );
}

/** Asks for the code of a mail, and sends the mail again when it did not come. */
export function CodeForm(props: CodeFormProps) {
  const { email, kind, children, onDone, onRedeeming } = props;
  const fields = useFields<CodeValues>({ code: '' }, validateMailedCode);
  const call = useAuthCall();
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => input.current?.focus(), []);

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    if (call.busy || !fields.check()) return;
    const token = codeDigits(fields.values.code);
    onRedeeming?.(true);
    const answer = await call.run((client) => redeem(client, { email, token, type: kind }));
    if ('data' in answer) {
      onDone(passwordNeeded(answer.data));
      return;
    }
    onRedeeming?.(false);
    if (answer.problem.field === 'code') fields.refuse({ code: answer.problem.message });
  }

  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)} className="flex flex-col gap-5">
      {call.problem?.field === 'code' ? (
        <ErrorSummary errors={fields.errors} attempt={fields.refusals} />
      ) : (
        <ProblemNotice problem={call.problem} />
      )}
      {children ?? <Sent email={email} />}
      <TextField
        ref={input}
        label="Code from our mail"
        inputMode="numeric"
        autoComplete="one-time-code"
        enterKeyHint="done"
        className="text-center text-h3 tracking-[0.35em] numeric"
        {...fields.input('code')}
      />
      <Button type="submit" block busy={call.busy} busyText="Checking the code…">
        Confirm
      </Button>
      <SendAgain {...props} />
    </form>
  );
}
