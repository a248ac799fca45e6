import { FounderPortrait } from '@/components/art/founder-portrait';
import { Button } from '@/components/ui/button';
import { usePractice } from '@/lib/practice';

/** The practitioner, and what she believes. */
export function Founder() {
  const { about, practitionerName } = usePractice();
  return (
    <section aria-labelledby="founder-title" className="bg-sunken">
      <div className="container-page grid items-center gap-x-16 gap-y-10 py-16 md:grid-cols-[1fr_1.5fr] lg:gap-x-24 lg:py-24">
        <div className="mx-auto w-full max-w-72 overflow-hidden rounded-t-[12rem] rounded-b-panel border-8 border-surface shadow-soft md:max-w-96">
          <FounderPortrait />
        </div>
        <div className="flex flex-col items-start gap-6">
          <div className="flex flex-col gap-2">
            <p className="text-sm font-semibold text-clay">Founder & Lead Healer</p>
            <h2 id="founder-title" className="text-h2">
              {practitionerName}
            </h2>
          </div>
          <p className="measure text-lg text-ink-2">{about?.introduction}</p>
          {about?.philosophy ? (
            <blockquote className="measure border-l-2 border-clay pl-6">
              <p className="font-display text-h3 font-medium text-balance lg:text-[1.75rem] lg:leading-snug">
                “{about.philosophy}”
              </p>
            </blockquote>
          ) : null}
          <Button to="/about" variant="secondary">
            Read {practitionerName}’s story
          </Button>
        </div>
      </div>
    </section>
  );
}
