import { type FormEvent, type RefObject, useEffect, useRef } from 'react';
import { Honeypot } from '@/components/honeypot';
import { Alert, Reference } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { EmailField } from '@/components/ui/contact-fields';
import { TextArea } from '@/components/ui/text-area';
import { TextField } from '@/components/ui/text-field';
import { classes } from '@/lib/classes';
import { useHydrated } from '@/lib/use-hydrated';
import { FILL_IN_ALL } from '../contact-messages';
import { lettersLeft } from '../contact-rules';
import { type ContactFormState, useContactForm } from '../hooks/use-contact-form';

type Form = { form: ContactFormState };

/** Disabled fields keep the colours of enabled ones. */
const AS_ENABLED =
  '[&_:is(input,textarea)]:opacity-100! [&_:is(input,textarea)]:bg-surface! ' +
  '[&_:is(input,textarea)]:text-ink!';

function Inputs({ form: { fields, sending, website, setWebsite } }: Form) {
  const left = lettersLeft(fields.values.message);
  return (
    <>
      <TextField
        label="Name"
        autoComplete="name"
        enterKeyHint="next"
        readOnly={sending}
        {...fields.input('name')}
      />
      <EmailField
        enterKeyHint="next"
        hint="We'll reply here. We never share it."
        readOnly={sending}
        {...fields.input('email')}
      />
      <div className="flex flex-col gap-1.5">
        <TextArea
          label="Message"
          rows={6}
          placeholder="What brings you here?"
          readOnly={sending}
          {...fields.input('message')}
        />
        <p role="status" className="text-right text-sm text-ink-2 numeric empty:hidden">
          {left}
        </p>
      </div>
      <Honeypot value={website} onChange={setWebsite} />
    </>
  );
}

function Problem({ form: { problem, sending, incomplete } }: Form) {
  if (sending) return null;
  if (incomplete) return <Alert tone="error" live title={FILL_IN_ALL} />;
  if (!problem) return null;
  return (
    <Alert tone={problem.tone} live title={problem.title}>
      <p>{problem.message}</p>
      <Reference id={problem.referenceId} />
    </Alert>
  );
}

/** Each refused attempt leads to the first field that is wrong. */
function useFocusOnRefusal(form: RefObject<HTMLFormElement | null>, refusals: number): void {
  useEffect(() => {
    if (refusals === 0) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form, refusals]);
}

/** A message to the practice. */
export function ContactForm({ onSent }: { onSent: () => void }) {
  const hydrated = useHydrated();
  const form = useContactForm(onSent);
  const element = useRef<HTMLFormElement>(null);
  useFocusOnRefusal(element, form.fields.refusals);

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    form.submit();
  }

  return (
    <form
      ref={element}
      noValidate
      onSubmit={onSubmit}
      className="relative flex min-w-0 flex-col gap-6"
    >
      {/* Prerendered fields take no letters that hydration would wipe out again. */}
      <fieldset disabled={!hydrated} className={classes('contents', !hydrated && AS_ENABLED)}>
        <Inputs form={form} />
      </fieldset>
      <Problem form={form} />
      <Button
        type="submit"
        size="lg"
        disabled={!hydrated}
        busy={form.sending}
        busyText="Sending..."
        className="sm:self-start"
      >
        Send Message
      </Button>
    </form>
  );
}
