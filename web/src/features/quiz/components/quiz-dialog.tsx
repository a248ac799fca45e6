import { type ReactNode, useEffect, useReducer, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { useQuizAreas, useServices } from '@/lib/practice';
import { bookLink } from '../quiz-links';
import { AT_WELCOME, nextState, QUIZ_SECONDS, type QuizState, recommendedFor } from '../quiz-state';
import { ResultsStep } from './results-step';
import { SelectionStep } from './selection-step';
import { StepRow } from './step-row';
import { WelcomeStep } from './welcome-step';

export type QuizDialogProps = { open: boolean; onClose: () => void };

/**
 * The chosen area is kept with the entry in the browser's history: for who comes back to the results,
 * and never in the address, which a server would read.
 */
function useKeptArea() {
  const { pathname, search, hash, state } = useLocation();
  const navigate = useNavigate();
  const kept = (state as { quizArea?: string } | null)?.quizArea ?? '';
  function keep(areaId: string) {
    const next = { ...(state as object | null), quizArea: areaId };
    const place = `${pathname}${search}${hash}`;
    void navigate(place, { replace: true, state: next, preventScrollReset: true });
  }
  return { kept, keep };
}

/** The quiz itself: computed here, from the practice's own areas and services. */
function useQuiz(open: boolean) {
  const [state, dispatch] = useReducer(nextState, AT_WELCOME);
  const areas = useQuizAreas();
  const services = useServices();
  const areaId = state.step === 'results' ? state.areaId : undefined;
  const area = areas.find((one) => one.areaId === areaId);
  const { kept, keep } = useKeptArea();
  const isKnown = areas.some((one) => one.areaId === kept);

  // Opened again, it begins with the first step, unless its results are come back to.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is kept meanwhile is known already.
  useEffect(() => {
    if (!open) {
      dispatch({ kind: 'retake' });
      if (kept) keep('');
    } else if (isKnown) {
      dispatch({ kind: 'resume', areaId: kept, at: performance.now() });
    }
  }, [open]);

  const move: typeof dispatch = (action) => {
    dispatch(action);
    if (action.kind === 'choose') keep(action.areaId);
    else if (kept) keep('');
  };
  return { state, dispatch: move, area, recommended: recommendedFor(area, services) };
}

/** The new step's heading has the focus, and its beginning is in sight. */
function useStepFocus(open: boolean, step: QuizState['step']) {
  const heading = useRef<HTMLHeadingElement>(null);
  const row = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: again whenever another step is shown.
  useEffect(() => {
    if (!open) return;
    heading.current?.focus({ preventScroll: true });
    row.current?.scrollIntoView({ block: 'nearest' });
  }, [open, step]);
  return { heading, row };
}

type Quiz = ReturnType<typeof useQuiz>;

function actionsOf({ state, dispatch, recommended: [first] }: Quiz): ReactNode {
  if (state.step === 'selection') return null;
  if (state.step === 'welcome') {
    const start = () => dispatch({ kind: 'start', at: performance.now() });
    return (
      <Button onClick={start} className="max-sm:w-full">
        Start Your Assessment
      </Button>
    );
  }
  return (
    <>
      {first ? (
        <Button to={bookLink(first.serviceId)} size="sm" className="max-sm:flex-1">
          Book Your First Session
        </Button>
      ) : null}
      <Button
        variant="secondary"
        size="sm"
        onClick={() => dispatch({ kind: 'retake' })}
        className="max-sm:flex-1"
      >
        Take Quiz Again
      </Button>
    </>
  );
}

/** The quiz of the home page. It is loaded when it is opened. */
export default function QuizDialog({ open, onClose }: QuizDialogProps) {
  const quiz = useQuiz(open);
  const { state, dispatch, area, recommended } = quiz;
  const { heading, row } = useStepFocus(open, state.step);
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Your ${QUIZ_SECONDS}-second quiz`}
      size="lg"
      actions={actionsOf(quiz)}
    >
      <div className="flex flex-col gap-4">
        <StepRow ref={row} state={state} onBack={() => dispatch({ kind: 'back' })} />
        {state.step === 'welcome' ? <WelcomeStep headingRef={heading} /> : null}
        {state.step === 'selection' ? (
          <SelectionStep
            headingRef={heading}
            onChoose={(areaId) => dispatch({ kind: 'choose', areaId })}
          />
        ) : null}
        {state.step === 'results' ? (
          <ResultsStep area={area} services={recommended} headingRef={heading} />
        ) : null}
      </div>
    </Dialog>
  );
}
