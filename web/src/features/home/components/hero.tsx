import type { ReactNode } from 'react';
import { HeroArt } from '@/components/art/hero-art';
import { Button } from '@/components/ui/button';
import { PageHeading } from '@/components/ui/page-heading';
import { usePractice, useServices } from '@/lib/practice';
import { sessionFacts } from '../first-facts';

type HeroProps = {
  quizButton: ReactNode;
  /** The next free time, and the way to book it. */
  nextFree: ReactNode;
};

/**
 * What is seen first: what this is, what it costs, and when there is time. All but that time stands
 * in the prerendered page; only the quiz itself comes later.
 */
export function Hero({ quizButton, nextFree }: HeroProps) {
  const { city } = usePractice();
  const facts = sessionFacts(useServices());
  return (
    <section className="container-page grid grid-cols-[minmax(0,1fr)] items-center gap-x-8 gap-y-12 pt-6 md:grid-cols-[1.3fr_1fr] md:pt-10 lg:grid-cols-[1.2fr_1fr] lg:gap-x-16 lg:pt-12">
      <div className="flex flex-col items-start gap-5 md:gap-6">
        <PageHeading
          eyebrow={
            <span className="text-base lg:text-lg">
              Counselling and healing in {city}, and online
            </span>
          }
          lead="For worry, low days, a relationship or a search for meaning: find the session that fits you, and sit down with someone who listens."
          className="max-md:gap-3"
        >
          Mental clarity in 90 seconds
        </PageHeading>
        <div className="flex w-full flex-col gap-2.5">
          {facts ? <p className="font-semibold numeric lg:text-lg">{facts}</p> : null}
          {nextFree}
        </div>
        <div className="flex flex-wrap gap-3 max-sm:w-full max-sm:[&>:not(dialog)]:w-full">
          {quizButton}
          <Button to="/services" variant="quiet" size="lg" className="md:max-lg:-ml-8">
            Browse all services
          </Button>
        </div>
        <p className="text-sm text-ink-2">
          No account, no email. Your answers never leave this page.
        </p>
      </div>
      <div className="mx-auto w-full max-w-xs overflow-hidden rounded-t-[14rem] rounded-b-panel border-8 border-surface shadow-lift lg:max-w-md">
        <HeroArt className="block aspect-[4/5] w-full" />
      </div>
    </section>
  );
}
