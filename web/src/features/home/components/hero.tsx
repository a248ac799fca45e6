import type { ReactNode } from 'react';
import { HeroArt } from '@/components/art/hero-art';
import { Button } from '@/components/ui/button';
import { PageHeading } from '@/components/ui/page-heading';
import { usePractice } from '@/lib/practice';

/** What is seen first. All of it stands in the prerendered page; only the quiz itself comes later. */
export function Hero({ quizButton }: { quizButton: ReactNode }) {
  const { city } = usePractice();
  return (
    <section className="container-page grid items-center gap-x-8 gap-y-12 pt-10 md:grid-cols-[1.3fr_1fr] lg:grid-cols-[1.2fr_1fr] lg:gap-x-16 lg:pt-14">
      <div className="flex flex-col items-start gap-8">
        <PageHeading
          eyebrow={`Counselling and healing in ${city}, and online`}
          lead="Choose what is on your mind, and see which session could bring you some ease. Then, when you are ready, sit down with someone who listens."
        >
          Mental clarity in 90 seconds
        </PageHeading>
        <div className="flex flex-wrap gap-3 max-sm:w-full max-sm:[&>:not(dialog)]:w-full">
          {quizButton}
          <Button to="/services" variant="quiet" size="lg" className="md:max-lg:-ml-8">
            Browse all services
          </Button>
        </div>
        <p className="text-sm text-ink-2">
          No account, no e-mail address: what you choose in the quiz stays on this page.
        </p>
      </div>
      <div className="mx-auto w-full max-w-xs overflow-hidden rounded-t-[14rem] rounded-b-panel border-8 border-surface shadow-lift lg:max-w-md">
        <HeroArt className="block aspect-[4/5] w-full" />
      </div>
    </section>
  );
}
