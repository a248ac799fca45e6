import type { ReactNode } from 'react';
import { Badge } from '@/components/ui/badge';
import type { MeditationGuide, MeditationStep } from '@/gen/catalogue/v1/catalogue_service_pb';
import { classes } from '@/lib/classes';
import { numbered } from '@/lib/numbered';
import { formatPhone } from '@/lib/phone';
import { usePractice } from '@/lib/practice';
import { minutesText } from '../guide-messages';
import { useStepClock } from '../hooks/use-step-clock';
import { StepTimer } from './step-timer';

function Texts({ texts }: { texts: readonly string[] }) {
  return (
    <div className="measure flex flex-col gap-4 print:max-w-none print:gap-1.5">
      {numbered(texts).map(({ number, item }) => (
        <p key={number}>{item}</p>
      ))}
    </div>
  );
}

type PartProps = { id: string; title: string; children: ReactNode };

function Part({ id, title, children }: PartProps) {
  return (
    <section aria-labelledby={id} className="flex flex-col gap-5 print:gap-1.5">
      <h2 id={id} className="text-h2 print:break-after-avoid print:text-[14pt]">
        {title}
      </h2>
      {children}
    </section>
  );
}

/** A line leads from each step to the next one, where there is room beside the text. */
const LINE =
  'relative before:absolute before:top-14 before:-bottom-9 before:left-5.5 before:w-px ' +
  'before:bg-hairline last:before:hidden max-sm:before:hidden print:before:hidden';
const GRID =
  'grid grid-cols-[2.75rem_minmax(0,1fr)] items-center gap-x-4 gap-y-4 sm:gap-x-6 ' +
  'print:break-inside-avoid print:gap-y-1';
const NUMBER =
  'grid size-11 place-items-center rounded-full font-display text-h3 font-semibold ' +
  'transition-colors duration-150 print:size-7 print:text-[11pt]';

type StepProps = {
  step: MeditationStep;
  number: number;
  /** The timer is at this step. */
  current: boolean;
};

function Step({ step, number, current }: StepProps) {
  return (
    <li aria-current={current ? 'step' : undefined} className={classes(LINE, GRID)}>
      <span
        aria-hidden="true"
        className={classes(NUMBER, current ? 'bg-brand text-on-brand' : 'bg-brand-soft text-brand')}
      >
        {number}
      </span>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 print:break-after-avoid">
        <h3 className="text-h3 print:text-[12pt]">
          <span className="sr-only">{`Step ${number}: `}</span>
          {step.title}
        </h3>
        <Badge className="print:bg-transparent print:p-0 print:text-[10pt]">
          {minutesText(step.minutes)}
        </Badge>
      </div>
      <div className="max-sm:col-span-2 sm:col-start-2">
        <Texts texts={step.paragraphs} />
      </div>
    </li>
  );
}

/** What a sheet of paper needs that a page has elsewhere. */
function OnPaper() {
  const { name, phone, email, crisisNote } = usePractice();
  return (
    <div className="hidden flex-col gap-2 border-t border-hairline pt-3 text-xs print:flex print:break-inside-avoid">
      {crisisNote ? <p>{crisisNote}</p> : null}
      <p className="text-ink-2">{[name, formatPhone(phone), email].join(' · ')}</p>
    </div>
  );
}

/** The whole guide. */
export function GuideText({ guide }: { guide: MeditationGuide }) {
  const { introduction, steps, closing } = guide;
  const clock = useStepClock(steps);
  const going = clock.state === 'running' || clock.state === 'resting';
  return (
    <div className="flex flex-col gap-14 print:gap-3 print:text-[10pt] print:leading-normal">
      <Part id="begin-title" title="Before you begin">
        <Texts texts={introduction} />
      </Part>
      <Part id="steps-title" title="The steps">
        <StepTimer guide={guide} clock={clock} />
        <ol className="mt-2 flex flex-col gap-12 print:mt-0 print:gap-2.5">
          {numbered(steps).map(({ number, item }) => (
            <Step
              key={number}
              step={item}
              number={number}
              current={going && clock.index === number - 1}
            />
          ))}
        </ol>
      </Part>
      <Part id="closing-title" title="How to go on">
        <Texts texts={closing} />
      </Part>
      <OnPaper />
    </div>
  );
}
