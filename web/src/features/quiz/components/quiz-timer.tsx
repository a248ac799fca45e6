import { useQuizClock } from '../hooks/use-quiz-clock';
import { clockText, QUIZ_SECONDS, spokenTime } from '../quiz-state';

/** The circle's length as the ring counts it. */
const ROUND = 100;

function Ring({ seconds }: { seconds: number }) {
  const ring = { cx: 10, cy: 10, r: 7.5, fill: 'none', strokeWidth: 2.5 } as const;
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true" className="size-5 -rotate-90">
      <circle {...ring} stroke="currentColor" strokeOpacity="0.25" />
      {seconds > 0 ? (
        <circle
          {...ring}
          stroke="currentColor"
          strokeLinecap="round"
          pathLength={ROUND}
          strokeDasharray={`${(seconds / QUIZ_SECONDS) * ROUND} ${ROUND}`}
        />
      ) : null}
    </svg>
  );
}

/**
 * The time that is left. It is not read out by itself, and nothing happens at its end: there it says
 * that there is no hurry.
 */
export function QuizTimer({ begun }: { begun: number | undefined }) {
  const seconds = useQuizClock(begun);
  return (
    <div className="ml-auto flex items-center gap-2 text-sm">
      {seconds === 0 ? <p className="text-ink-2">Take your time</p> : null}
      <div
        role="timer"
        aria-live="off"
        className="inline-flex items-center gap-1.5 rounded-full bg-brand-soft px-3 py-1 leading-tight font-semibold text-brand numeric"
      >
        <Ring seconds={seconds} />
        <span aria-hidden="true">{clockText(seconds)}</span>
        <span className="sr-only">{`${spokenTime(seconds)} left`}</span>
      </div>
    </div>
  );
}
