import { useRef } from 'react';
import { FreeConsultation } from '@/components/free-consultation';
import { Button } from '@/components/ui/button';
import { PageHeading } from '@/components/ui/page-heading';
import { formatPhone } from '@/lib/phone';
import { useFaqGroups, usePractice } from '@/lib/practice';
import { useReveal } from '../hooks/use-reveal';
import { FaqFigures } from './faq-figures';
import { QuestionGroup } from './question-group';

const QUIET =
  'inline-flex min-h-11 items-center rounded-full px-4 text-sm font-semibold text-brand ' +
  'hover:bg-brand-soft';

/** All groups, each of which opens and closes by itself. */
function Groups() {
  const groups = useFaqGroups();
  const list = useRef<HTMLDivElement>(null);

  function setAll(open: boolean) {
    const questions = list.current?.querySelectorAll('details') ?? [];
    for (const one of questions) {
      // Closing leaves the groups open, so that every question can still be seen.
      if (open || 'question' in one.dataset) one.open = open;
    }
  }

  return (
    <section aria-label="Questions and answers" className="flex flex-col gap-5">
      <div className="flex flex-wrap justify-end gap-2 print:hidden">
        <button type="button" className={QUIET} onClick={() => setAll(true)}>
          Expand all
        </button>
        <button type="button" className={QUIET} onClick={() => setAll(false)}>
          Collapse all
        </button>
      </div>
      <div ref={list} className="flex flex-col gap-6">
        {groups.map((group) => (
          <QuestionGroup key={group.title} group={group} />
        ))}
      </div>
    </section>
  );
}

function AskUs() {
  const { phone } = usePractice();
  return (
    <aside
      aria-labelledby="ask-title"
      className="flex flex-col items-start gap-5 rounded-panel bg-brand-soft p-6 sm:p-8 print:hidden"
    >
      <h2 id="ask-title" className="text-h3">
        Can't find your answer?
      </h2>
      <p>
        Write to us or call{' '}
        <a href={`tel:${phone}`} className="font-semibold text-brand underline numeric">
          {formatPhone(phone)}
        </a>
        . A person answers.
      </p>
      <div className="flex flex-wrap gap-3">
        <Button to="/contact">Contact us</Button>
        <Button to="/services" variant="secondary">
          See our services
        </Button>
      </div>
    </aside>
  );
}

/** /faq: every question in its group, and ways to ask another one. */
export function FaqPage() {
  useReveal();
  return (
    <div className="container-page flex flex-col gap-10 py-12 lg:gap-12 lg:py-16">
      <PageHeading
        eyebrow="FAQ"
        lead="About sessions, booking and what healing can mean here. Open as many answers as you like."
      >
        Questions, answered
      </PageHeading>
      <FaqFigures />
      <div className="grid items-start gap-x-12 gap-y-10 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Groups />
        <div className="flex flex-col gap-6 lg:sticky lg:top-28">
          <AskUs />
          <FreeConsultation />
        </div>
      </div>
    </div>
  );
}
