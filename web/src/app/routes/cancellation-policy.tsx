import { ComingPage } from '@/components/coming-page';
import { formatPhone } from '@/lib/phone';
import { usePractice } from '@/lib/practice';

export default function CancellationPolicyPage() {
  const { cancellationHours, phone, supportHours } = usePractice();
  const steps = [
    `Contact us at least ${cancellationHours} hours before your session.`,
    'Tell us your name, your e-mail, the service, your booking and the reason.',
    'You hear from us within 2-3 business days.',
    'A refund goes back the way you paid, within 5-7 business days.',
  ];
  return (
    <ComingPage
      title="Cancellation Policy"
      eyebrow="When plans change"
      lead={`A session can be moved or cancelled until ${cancellationHours} hours before it starts. Later requests may not get a full refund, a session that was missed is not refunded, and emergencies are looked at one by one.`}
      coming="For your own booking, this page will count the time that is left to cancel."
      links={[
        { to: '/contact', label: 'Contact us' },
        { to: '/services', label: 'See our services' },
      ]}
      art={{ seed: 'vedic-astrology', accent: 'plum' }}
    >
      <section aria-labelledby="steps-title" className="flex flex-col gap-6">
        <h2 id="steps-title" className="text-h2">
          How to cancel
        </h2>
        <ol className="grid gap-6 sm:grid-cols-2 lg:grid-cols-4">
          {steps.map((step, index) => (
            <li key={step} className="flex flex-col gap-2 border-t-2 border-brand pt-4">
              <span className="font-display text-h3 font-semibold text-brand numeric">
                {index + 1}
              </span>
              {step}
            </li>
          ))}
        </ol>
        <p className="text-ink-2">
          Support:{' '}
          <a href={`tel:${phone}`} className="font-semibold text-brand underline numeric">
            {formatPhone(phone)}
          </a>
          , {supportHours}
        </p>
      </section>
    </ComingPage>
  );
}
