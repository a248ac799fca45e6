import type { ReactNode, Ref } from 'react';
import { type QuizStep, STEPS } from '../quiz-state';

type StepHeadingProps = { step: QuizStep; ref: Ref<HTMLHeadingElement>; children: ReactNode };

/** Gets the focus when its step comes, so that a screen reader says which step it is. */
export function StepHeading({ step, ref, children }: StepHeadingProps) {
  return (
    <h3 ref={ref} tabIndex={-1} className="text-h2 outline-none">
      <span className="sr-only">{`Step ${STEPS.indexOf(step) + 1} of ${STEPS.length}: `}</span>
      {children}
    </h3>
  );
}
