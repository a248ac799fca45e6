import { useEffect, useState } from 'react';
import { ServiceArt } from '@/components/art/service-art';
import { CrisisNote } from '@/components/crisis-note';
import { FreeConsultation } from '@/components/free-consultation';
import { Alert } from '@/components/ui/alert';
import { PageHeading } from '@/components/ui/page-heading';
import { usePractice } from '@/lib/practice';
import { scrollToTop } from '@/lib/scroll-to-top';
import { ContactCards } from './contact-cards';
import { ContactForm } from './contact-form';

const TITLE = 'Get in Touch';

/** How often a message was sent from here. Each one leads back to the top of the page. */
function useSent() {
  const [sent, setSent] = useState(0);
  useEffect(() => {
    if (sent === 0) return;
    scrollToTop();
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  }, [sent]);
  return { sent, onSent: () => setSent((before) => before + 1) };
}

function Write({ sent, onSent }: { sent: number; onSent: () => void }) {
  const { contactHours } = usePractice();
  return (
    <section
      aria-labelledby="write-title"
      className="flex flex-col gap-6 rounded-panel border border-hairline bg-surface p-5 shadow-soft sm:p-10"
    >
      <div className="flex flex-col gap-2">
        <h2 id="write-title" className="text-h2">
          Write to us
        </h2>
        <p className="text-ink-2">
          A person reads it and writes back. What you tell us stays with us.
        </p>
      </div>
      {sent > 0 ? (
        <Alert tone="ok" title="Thanks, we've got your message">
          We read and answer messages {contactHours}; the answer comes to the address that you gave.
          You can write another one below.
        </Alert>
      ) : null}
      <ContactForm key={sent} onSent={onSent} />
      <CrisisNote className="border-t border-hairline pt-5 text-sm text-ink-2" />
    </section>
  );
}

/** /contact: a form, and every other way to reach the practice. */
export function ContactPage() {
  const { sent, onSent } = useSent();
  return (
    <div className="container-page grid grid-cols-[minmax(0,1fr)] gap-x-14 gap-y-10 py-12 lg:grid-cols-[minmax(0,1.5fr)_minmax(0,1fr)] lg:py-16">
      <PageHeading
        eyebrow="Contact"
        lead="Call or write in whatever words come first. There is no wrong way to begin."
        className="lg:self-end"
      >
        {TITLE}
      </PageHeading>
      <ServiceArt
        seed="energy-healing"
        accent="clay"
        className="aspect-[2/1] w-full rounded-panel max-lg:hidden"
      />
      <Write sent={sent} onSent={onSent} />
      <section aria-labelledby="ways-title" className="flex flex-col gap-5">
        <h2 id="ways-title" className="text-h3">
          Other ways to reach us
        </h2>
        <ContactCards />
        <FreeConsultation />
      </section>
    </div>
  );
}
