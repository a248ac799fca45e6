import type { FormEvent, ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ContactFields } from '@/components/ui/contact-fields';
import { ErrorNotice } from '@/components/ui/error-notice';
import { ErrorSummary } from '@/components/ui/error-summary';
import { TextArea } from '@/components/ui/text-area';
import type { Fields } from '@/lib/use-fields';
import type { ContactValues } from '../../shared/draft';

function Details({ fields }: { fields: Fields<ContactValues> }) {
  return (
    <div className="flex flex-col gap-4">
      <ContactFields fields={fields} />
      <TextArea
        label="Special requests"
        optional
        rows={3}
        hint="Only your practitioner will read this."
        {...fields.input('notes')}
      />
    </div>
  );
}

/** What a client agrees to by going on, each in a tab of its own. */
const AGREED = [
  { href: '/terms', label: 'terms' },
  { href: '/privacy', label: 'privacy policy' },
  { href: '/refunds', label: 'refund policy' },
];

function Agreed() {
  return (
    <p className="text-sm text-ink-2">
      We use your details for this booking alone, and never sell or share them. By going on you
      agree to our{' '}
      {AGREED.map(({ href, label }, index) => (
        <span key={href}>
          {index === 0 ? '' : index === AGREED.length - 1 ? ' and ' : ', '}
          <a
            href={href}
            target="_blank"
            rel="noopener"
            className="text-brand underline underline-offset-4"
          >
            {label}
            <span className="sr-only"> (opens in a new tab)</span>
          </a>
        </span>
      ))}
      .
    </p>
  );
}

type DetailsFormProps = {
  fields: Fields<ContactValues>;
  busy: boolean;
  error: unknown;
  onSubmit: () => void;
  onBack: () => void;
  /** What is said of the chosen time. */
  children?: ReactNode;
};

/** "Booking Details": how the client can be reached, and the way to the payment. */
export function DetailsForm(props: DetailsFormProps) {
  const { fields, busy, error, onSubmit, onBack, children } = props;

  function submit(event: FormEvent) {
    event.preventDefault();
    onSubmit();
  }

  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-6">
      <ErrorSummary errors={fields.errors} attempt={fields.refusals} />
      {children}
      <Card className="flex flex-col gap-5">
        <h2 className="text-h3">Your details</h2>
        <Details fields={fields} />
        <Agreed />
      </Card>
      {error ? <ErrorNotice error={error} onRetry={onSubmit} /> : null}
      <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-between">
        <Button variant="secondary" onClick={onBack}>
          Back to Calendar
        </Button>
        <Button type="submit" busy={busy} busyText="Keeping your time…">
          Proceed to Payment
        </Button>
      </div>
    </form>
  );
}
