import { type FormEvent, useEffect, useRef } from 'react';
import { Honeypot } from '@/components/honeypot';
import { Alert, Reference } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/text-field';
import { classes } from '@/lib/classes';
import { useHydrated } from '@/lib/use-hydrated';
import { type GuideFormState, useGuideForm } from '../hooks/use-guide-form';

type GuideFormProps = {
  /** Called when the guide is on its way and the form is still there; a popup closes then. */
  onSent?: () => void;
};

/** Disabled fields keep the colours of enabled ones. */
const AS_ENABLED =
  '[&_input]:opacity-100! [&_input]:bg-surface! [&_input]:text-ink! [&_input]:cursor-text!';

/** The toast announces the failure and disappears; this text stays and is not announced again. */
function Problem({ form: { problem, sending } }: { form: GuideFormState }) {
  if (!problem || sending) return null;
  return (
    <Alert tone="error" title={problem.title}>
      <p className="text-sm">{problem.message}</p>
      <Reference id={problem.referenceId} />
    </Alert>
  );
}

/** Sends the meditation guide by mail. The browser itself checks the address. */
export function GuideForm({ onSent }: GuideFormProps) {
  const hydrated = useHydrated();
  const form = useGuideForm(onSent);
  const input = useRef<HTMLInputElement>(null);
  const { email, invalid, sending } = form;

  useEffect(() => {
    if (invalid) input.current?.focus();
  }, [invalid]);

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    void form.submit();
  }

  return (
    <form onSubmit={onSubmit} className="relative flex min-w-0 flex-col gap-4">
      {/* Prerendered fields take no letters that hydration would wipe out again. */}
      <fieldset disabled={!hydrated} className={classes('contents', !hydrated && AS_ENABLED)}>
        <TextField
          ref={input}
          label="Email"
          type="email"
          name="email"
          required
          maxLength={254}
          inputMode="email"
          autoComplete="email"
          enterKeyHint="send"
          hint="Used to send you this guide, and for nothing else."
          readOnly={sending}
          value={email}
          error={invalid}
          onChange={(event) => form.setEmail(event.target.value)}
        />
        <Honeypot value={form.website} onChange={form.setWebsite} />
      </fieldset>
      <Problem form={form} />
      <Button type="submit" block disabled={!hydrated} busy={sending} busyText="Sending...">
        Send Me the Guide
      </Button>
    </form>
  );
}
