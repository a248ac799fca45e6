import { type FormEvent, type ReactNode, useId } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Checkbox } from '@/components/ui/checkbox';
import { EmailField } from '@/components/ui/contact-fields';
import { ErrorNotice } from '@/components/ui/error-notice';
import { ErrorSummary } from '@/components/ui/error-summary';
import { Skeleton } from '@/components/ui/skeleton';
import { TextField } from '@/components/ui/text-field';
import type { ConsentTerms } from '@/gen/catalogue/v1/catalogue_service_pb';
import { usePracticeZone } from '@/lib/practice';
import { formatLongDate, localDate } from '@/lib/time';
import { useServerNow } from '@/lib/use-server-now';
import type { ConsentForm, SignedConsent } from '../hooks/use-consent-form';
import { useConsentTerms } from '../hooks/use-consent-terms';
import { ConsentTermsText } from './consent-terms';

type ConsentScreenProps = {
  form: ConsentForm;
  onAccept: (consent: SignedConsent) => void;
  onBack: () => void;
  /** What stands between the terms' heading and the terms: the chosen time, or why it is asked. */
  children?: ReactNode;
};

function DeclarationFields({ form }: { form: ConsentForm }) {
  const { fields } = form;
  const { timeZone } = usePracticeZone();
  const today = formatLongDate(localDate(new Date(useServerNow()), timeZone));
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField label="Full name" autoComplete="name" {...fields.input('fullName')} />
      <EmailField {...fields.input('email')} />
      <TextField
        label="Signature"
        hint="Type your name. We keep it with the booking, and never in this browser."
        autoComplete="off"
        className="font-display text-lg italic"
        {...fields.input('signature')}
      />
      <TextField label="Date" name="date" value={today} readOnly />
    </div>
  );
}

type DeclarationCardProps = { form: ConsentForm; terms: ConsentTerms; id: string };

/** What is typed and ticked below the terms. */
export function DeclarationCard({ form, terms, id }: DeclarationCardProps) {
  const { fields, accepted, setAccepted, needed } = form;
  return (
    <Card className="flex flex-col gap-5">
      <h2 id={id} className="text-h3">
        Declaration
      </h2>
      <ErrorSummary errors={fields.errors} attempt={fields.refusals} />
      <DeclarationFields form={form} />
      <Checkbox
        name="consentAccepted"
        label={terms.declaration}
        checked={accepted}
        onChange={(event) => setAccepted(event.target.checked)}
      />
      <p role="status" className="min-h-6 text-sm text-ink-2">
        {needed.length > 0 ? `Still to fill in: ${needed.join(', ')}.` : ''}
      </p>
    </Card>
  );
}

type DeclarationProps = Omit<ConsentScreenProps, 'children'> & { terms: ConsentTerms };

function Declaration({ form, terms, onAccept, onBack }: DeclarationProps) {
  const { needed } = form;
  const id = useId();

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    const consent = form.sign(terms.version);
    if (consent) onAccept(consent);
  }

  return (
    <form noValidate onSubmit={onSubmit} aria-labelledby={id} className="flex flex-col gap-5">
      <DeclarationCard form={form} terms={terms} id={id} />
      <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-between">
        <Button variant="secondary" onClick={onBack}>
          Back to Calendar
        </Button>
        <Button type="submit" disabled={needed.length > 0}>
          Accept & Continue to Payment
        </Button>
      </div>
    </form>
  );
}

/** "Consent to Online Session": the terms in full, and the declaration below them. */
export function ConsentScreen({ children, ...rest }: ConsentScreenProps) {
  const { data: terms, error, refetch } = useConsentTerms();
  return (
    <div className="flex flex-col gap-6">
      {children}
      {terms ? (
        <>
          <Card className="flex flex-col gap-5">
            <h2 className="text-h3">What you agree to</h2>
            <ConsentTermsText terms={terms} />
          </Card>
          <Declaration {...rest} terms={terms} />
        </>
      ) : (
        <>
          {error ? (
            <ErrorNotice error={error} onRetry={() => void refetch()} />
          ) : (
            <Skeleton className="h-96 w-full rounded-card" />
          )}
          <Button variant="secondary" className="self-start" onClick={rest.onBack}>
            Back to Calendar
          </Button>
        </>
      )}
    </div>
  );
}
