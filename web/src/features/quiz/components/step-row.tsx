import type { Ref } from 'react';
import { classes } from '@/lib/classes';
import { begunAt, type QuizState, STEPS } from '../quiz-state';
import { QuizTimer } from './quiz-timer';

type StepRowProps = { state: QuizState; onBack: () => void; ref: Ref<HTMLDivElement> };

function BackButton({ onBack }: { onBack: () => void }) {
  return (
    <button
      type="button"
      onClick={onBack}
      className="-ml-3 inline-flex min-h-11 items-center gap-1.5 rounded-full px-3 text-sm font-semibold text-brand hover:bg-brand-soft"
    >
      <svg viewBox="0 0 20 20" aria-hidden="true" className="size-4">
        <path
          d="M12.5 4.5L7 10l5.5 5.5"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.8"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      Back
    </button>
  );
}

/** How far one is: three dots, or bars where there is room. The step's heading says it in words. */
function Progress({ at }: { at: number }) {
  return (
    <div aria-hidden="true" className="flex gap-1 sm:gap-1.5">
      {STEPS.map((step, index) => (
        <span
          key={step}
          className={classes(
            'h-2 w-2 rounded-full sm:h-1.5 sm:w-6',
            index <= at ? 'bg-brand' : 'bg-hairline',
          )}
        />
      ))}
    </div>
  );
}

/** The row above every step: the way back, the progress, and the time. */
export function StepRow({ state, onBack, ref }: StepRowProps) {
  return (
    <div ref={ref} className="flex min-h-11 flex-wrap items-center gap-x-2 gap-y-1 sm:gap-x-3">
      {state.step === 'welcome' ? null : <BackButton onBack={onBack} />}
      <Progress at={STEPS.indexOf(state.step)} />
      <QuizTimer begun={begunAt(state)} />
    </div>
  );
}
