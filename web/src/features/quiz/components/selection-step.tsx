import type { Ref } from 'react';
import { ServiceArt } from '@/components/art/service-art';
import { Button } from '@/components/ui/button';
import type { QuizArea } from '@/gen/catalogue/v1/catalogue_service_pb';
import { useQuizAreas } from '@/lib/practice';
import { StepHeading } from './step-heading';

type SelectionStepProps = {
  onChoose: (areaId: string) => void;
  headingRef: Ref<HTMLHeadingElement>;
};

type AreaCardProps = { area: QuizArea; onChoose: (areaId: string) => void };

/** The button reaches over the whole card, which shows the focus then. */
const WHOLE_CARD =
  'self-start text-left text-sm font-semibold text-brand after:absolute after:inset-0 ' +
  'after:rounded-card focus-visible:outline-none focus-visible:after:outline-2 ' +
  'focus-visible:after:-outline-offset-4 focus-visible:after:outline-focus';

function AreaCard({ area, onChoose }: AreaCardProps) {
  return (
    <li className="group relative flex overflow-hidden rounded-card border border-hairline bg-surface shadow-soft transition-shadow duration-200 hover:shadow-lift sm:flex-col">
      <ServiceArt
        seed={area.recommendedServiceIds[0] ?? area.areaId}
        accent={area.accent}
        className="w-18 shrink-0 sm:h-20 sm:w-full"
      />
      <div className="flex flex-1 flex-col gap-1 p-4 sm:px-5">
        <h4 className="font-display text-lg leading-snug font-semibold">{area.title}</h4>
        <p className="flex-1 text-sm text-ink-2">{area.description}</p>
        <button type="button" onClick={() => onChoose(area.areaId)} className={WHOLE_CARD}>
          <span className="inline-flex min-h-8 items-center gap-1.5">
            <span className="group-hover:underline group-hover:underline-offset-4">
              Select This Area
            </span>
            <span aria-hidden="true">→</span>
          </span>
          <span className="sr-only">: {area.title}</span>
        </button>
      </div>
    </li>
  );
}

function NoAreas({ headingRef }: Pick<SelectionStepProps, 'headingRef'>) {
  return (
    <div className="flex flex-col items-start gap-4">
      <StepHeading step="selection" ref={headingRef}>
        There is nothing to choose from right now
      </StepHeading>
      <p className="text-ink-2">
        The practice is just working on its questions. All sessions are open to you meanwhile, with
        their lengths and prices.
      </p>
      <Button to="/services">See all services</Button>
    </div>
  );
}

/** What the practice helps with; one of them is chosen. */
export function SelectionStep({ onChoose, headingRef }: SelectionStepProps) {
  const areas = useQuizAreas();
  if (areas.length === 0) return <NoAreas headingRef={headingRef} />;
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-col gap-2">
        <StepHeading step="selection" ref={headingRef}>
          What would you like to look at first?
        </StepHeading>
        <p className="text-ink-2">
          Go with your first instinct. There's no penalty when the timer runs out.
        </p>
      </div>
      <ul className="grid gap-3 sm:grid-cols-2 sm:gap-4">
        {areas.map((area) => (
          <AreaCard key={area.areaId} area={area} onChoose={onChoose} />
        ))}
      </ul>
    </div>
  );
}
