import { Button } from '@/components/ui/button';
import { PageHeading } from '@/components/ui/page-heading';
import { formatPhone } from '@/lib/phone';
import { usePractice, useService } from '@/lib/practice';
import { bookingReference } from '@/lib/reference';
import { cancellationMail } from '../cancellation-mail';
import { type Asked, useAsked } from '../hooks/use-asked';
import { PolicyClock } from './policy-clock';
import { PolicySteps } from './policy-steps';

const NOTES = [
  {
    title: 'Late requests',
    text: 'A request that comes after the window has closed may not get a full refund.',
  },
  {
    title: 'Emergencies',
    text: 'Illness, an accident, a death in the family: we review each case by itself.',
  },
  {
    title: 'No-shows',
    text: "Sessions missed without notice aren't refunded.",
  },
];

function Notes() {
  return (
    <section aria-labelledby="notes-title" className="flex flex-col gap-6">
      <h2 id="notes-title" className="text-h2">
        Good to know
      </h2>
      <dl className="grid gap-x-10 gap-y-6 md:grid-cols-3">
        {NOTES.map(({ title, text }) => (
          <div key={title} className="flex flex-col gap-1.5 border-t-2 border-clay pt-4">
            <dt className="font-display text-h3 font-semibold">{title}</dt>
            <dd className="text-ink-2">{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** What the address says about the session, for the mail that asks to cancel it. */
function useKnown(asked: Asked) {
  const service = useService(asked.kind === 'time' ? asked.serviceId : undefined);
  const reference = asked.kind === 'booking' ? bookingReference(asked.bookingId) : '';
  // Of what is no id of a booking there is no short form either.
  return { service: service?.title ?? '', reference: reference.length === 8 ? reference : '' };
}

function Support({ asked }: { asked: Asked }) {
  const { phone, email, supportHours } = usePractice();
  const mail = cancellationMail({ email, ...useKnown(asked) });
  return (
    <section
      aria-labelledby="support-title"
      className="flex flex-wrap items-center justify-between gap-x-12 gap-y-6 rounded-panel bg-brand-soft p-6 sm:p-10"
    >
      <div className="flex flex-col gap-2">
        <h2 id="support-title" className="text-h3">
          Support
        </h2>
        <p>
          <a
            href={`tel:${phone}`}
            className="inline-flex min-h-11 items-center text-lg font-semibold text-brand underline underline-offset-4 numeric"
          >
            {formatPhone(phone)}
          </a>
          <span className="block">{supportHours}</span>
        </p>
      </div>
      <div className="flex flex-wrap gap-3">
        <Button href={mail}>Email us to cancel</Button>
        <Button to="/contact" variant="secondary">
          Contact us
        </Button>
      </div>
    </section>
  );
}

/** /cancellation-policy: until when, how, and what comes back. */
export function PolicyPage() {
  const { cancellationHours } = usePractice();
  const asked = useAsked();
  return (
    <div className="container-page flex flex-col gap-14 py-12 lg:gap-20 lg:py-16">
      <div className="grid grid-cols-[minmax(0,1fr)] items-center gap-x-16 gap-y-10 lg:grid-cols-[minmax(0,1.25fr)_minmax(0,1fr)]">
        <PageHeading
          eyebrow="When plans change"
          lead={`Life does not keep to a calendar. Tell us at least ${cancellationHours} hours before your session, and you can cancel it.`}
        >
          Cancellation Policy
        </PageHeading>
        <PolicyClock asked={asked} />
      </div>
      <PolicySteps />
      <Support asked={asked} />
      <Notes />
    </div>
  );
}
