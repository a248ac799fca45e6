import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { TextField } from '@/components/ui/text-field';
import { describeError } from '@/lib/errors';
import type { MailCode } from '@/lib/use-mail-code';

type MailCodeFormProps = {
  mailCode: MailCode;
  /** Names the field. */
  name: string;
  /** Why there is a code, and where it goes. */
  before: string;
  /** The same once it is sent. */
  after: string;
  /** What is wrong with the typed code. */
  problem: string | undefined;
};

function unsentTitle(error: unknown): string {
  return describeError(error).lost
    ? "We don't know yet whether a code was mailed"
    : 'No code was mailed';
}

/** Asks for a code by mail, and then for its digits. */
export function MailCodeForm({ mailCode, name, before, after, problem }: MailCodeFormProps) {
  const { typed, setTyped, send, sending, sent, canType, error } = mailCode;
  return (
    <>
      <p role="status">{sent ? `${after} It works for ${sent.validMinutes} minutes.` : before}</p>
      {canType ? (
        <TextField
          label="6-digit code"
          name={name}
          inputMode="numeric"
          autoComplete="one-time-code"
          value={typed}
          error={problem}
          onChange={(event) => setTyped(event.target.value)}
        />
      ) : null}
      {error ? <ErrorNotice error={error} title={unsentTitle(error)} /> : null}
      <Button
        variant="secondary"
        size="sm"
        className="self-start"
        busy={sending}
        busyText="Sending…"
        onClick={send}
      >
        {sent ? 'Send a new code' : 'Send me a code'}
      </Button>
    </>
  );
}
