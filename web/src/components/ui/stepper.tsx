import { classes } from '@/lib/classes';

export type Step = { id: string; label: string };

export type StepperProps = {
  steps: readonly Step[];
  /** The id of the step that is shown. */
  current: string;
  /** Ids of steps that are done; by default all before the current one. */
  completed?: readonly string[];
  label?: string;
};

function dotStyle(state: 'done' | 'current' | 'ahead'): string {
  if (state === 'done') return 'border-brand bg-brand text-on-brand';
  if (state === 'current') return 'border-brand bg-surface text-brand ring-4 ring-brand-soft';
  return 'border-control bg-surface text-ink-2';
}

function Mark({ done, index }: { done: boolean; index: number }) {
  if (!done) return <>{index + 1}</>;
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true" className="size-4">
      <path
        d="M4.5 10.5l3.5 3.5 7.5-8"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

/** The named steps of a flow in their order. */
export function Stepper({ steps, current, completed, label = 'Progress' }: StepperProps) {
  const at = steps.findIndex((step) => step.id === current);
  return (
    <nav aria-label={label}>
      <ol className="flex">
        {steps.map((step, index) => {
          const done = completed ? completed.includes(step.id) : index < at;
          const isCurrent = index === at;
          const state = isCurrent ? 'current' : done ? 'done' : 'ahead';
          return (
            <li
              key={step.id}
              aria-current={isCurrent ? 'step' : undefined}
              data-state={state}
              className="relative flex flex-1 flex-col items-center gap-2 text-center"
            >
              {index > 0 ? (
                <span
                  aria-hidden="true"
                  className={classes(
                    'absolute top-4 right-1/2 h-0.5 w-full -translate-y-1/2',
                    index <= at ? 'bg-brand' : 'bg-hairline',
                  )}
                />
              ) : null}
              <span
                className={classes(
                  'relative z-10 grid size-8 place-items-center rounded-full border-2 text-sm',
                  'font-semibold numeric',
                  dotStyle(state),
                )}
              >
                <Mark done={done && !isCurrent} index={index} />
              </span>
              <span
                className={classes(
                  'px-1 text-xs leading-tight',
                  isCurrent ? 'font-semibold text-ink' : 'text-ink-2 max-sm:sr-only',
                )}
              >
                {step.label}
                {done && !isCurrent ? <span className="sr-only"> (completed)</span> : null}
              </span>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
