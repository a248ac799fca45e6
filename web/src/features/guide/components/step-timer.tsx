import { type RefObject, useEffect, useRef } from 'react';
import { Button } from '@/components/ui/button';
import type { MeditationGuide, MeditationStep } from '@/gen/catalogue/v1/catalogue_service_pb';
import { classes } from '@/lib/classes';
import { numbered } from '@/lib/numbered';
import { useHydrated } from '@/lib/use-hydrated';
import { minutesText } from '../guide-messages';
import type { StepClock } from '../hooks/use-step-clock';
import { clockText, partOf } from '../step-clock';

type TimerProps = { guide: MeditationGuide; clock: StepClock };

const BAR =
  'h-2 w-full appearance-none overflow-hidden rounded-full bg-brand-soft ' +
  '[&::-webkit-progress-bar]:bg-brand-soft [&::-webkit-progress-value]:bg-brand ' +
  '[&::-moz-progress-bar]:bg-brand';

function Bars({ steps, passedMs }: { steps: readonly MeditationStep[]; passedMs: number }) {
  return (
    <div className="flex gap-1.5">
      {numbered(steps).map(({ number, item }) => (
        <progress
          key={number}
          aria-label={item.title}
          max={100}
          value={Math.round(100 * partOf(steps, number - 1, passedMs))}
          className={BAR}
        />
      ))}
    </div>
  );
}

/** Announced when a step begins, pauses or goes on; the seconds are not. */
function newsOf({ guide: { steps }, clock: { state, index } }: TimerProps): string {
  const step = steps[index];
  if (state === 'over') return 'All steps are over. Take your time to get up.';
  if (state === 'resting') return 'The timer rests.';
  if (state === 'idle' || !step) return '';
  return `Step ${index + 1} of ${steps.length}: ${step.title}, ${minutesText(step.minutes)}.`;
}

function Idle({ guide, clock }: TimerProps) {
  const hydrated = useHydrated();
  return (
    <>
      <p className="measure text-ink-2">
        If you want to, a quiet clock goes along and shows when the next step begins. You can let it
        rest, or leave it, at any time.
      </p>
      <Button className="self-start" disabled={!hydrated} onClick={clock.start}>
        {`Start ${minutesText(guide.minutes)}`}
      </Button>
    </>
  );
}

function Going({ guide: { steps }, clock }: TimerProps) {
  const { state, index, leftMs, passedMs } = clock;
  const last = index + 1 === steps.length;
  return (
    <>
      <div className="flex items-end justify-between gap-6">
        <p>
          <span className="block text-sm text-ink-2 numeric">
            {`Step ${index + 1} of ${steps.length}`}
          </span>
          <span className="font-display text-h3 font-semibold">{steps[index]?.title}</span>
        </p>
        <p
          role="timer"
          className="font-display text-h2 leading-none font-semibold text-brand numeric"
        >
          {clockText(leftMs)}
        </p>
      </div>
      <Bars steps={steps} passedMs={passedMs} />
      <div className="flex flex-wrap gap-2">
        <Button size="sm" onClick={state === 'running' ? clock.rest : clock.goOn}>
          {state === 'running' ? 'Rest' : 'Go on'}
        </Button>
        <Button size="sm" variant="secondary" onClick={clock.skip}>
          {last ? 'Finish' : 'Next step'}
        </Button>
        <Button size="sm" variant="quiet" onClick={clock.stop}>
          Stop
        </Button>
      </div>
    </>
  );
}

function Over({ clock }: TimerProps) {
  return (
    <>
      <p className="measure">That was all. Take your time to get up, and notice how you are now.</p>
      <Button size="sm" variant="secondary" className="self-start" onClick={clock.stop}>
        Set it back
      </Button>
    </>
  );
}

/** Where the button that had the focus went away, the first of those that came has it. */
function useFocusThatGoesOn(frame: RefObject<HTMLElement | null>, phase: string): void {
  const shown = useRef(phase);
  useEffect(() => {
    const before = shown.current;
    shown.current = phase;
    if (before === phase || document.activeElement !== document.body) return;
    frame.current?.querySelector('button')?.focus({ preventScroll: true });
  }, [frame, phase]);
}

/** An optional clock. It never scrolls the page and needs no input. */
export function StepTimer(props: TimerProps) {
  const { state } = props.clock;
  const going = state === 'running' || state === 'resting';
  const frame = useRef<HTMLElement>(null);
  useFocusThatGoesOn(frame, going ? 'going' : state);
  return (
    <section
      ref={frame}
      aria-labelledby="timer-title"
      className={classes(
        'flex flex-col rounded-panel bg-sunken print:hidden',
        going ? 'sticky top-20 z-20 gap-3 p-4 shadow-soft sm:px-7' : 'gap-5 p-5 sm:p-7',
      )}
    >
      <h3 id="timer-title" className={going ? 'sr-only' : 'text-h3'}>
        Practise with a timer
      </h3>
      {state === 'idle' ? <Idle {...props} /> : null}
      {going ? <Going {...props} /> : null}
      {state === 'over' ? <Over {...props} /> : null}
      <p role="status" className="sr-only">
        {newsOf(props)}
      </p>
    </section>
  );
}
