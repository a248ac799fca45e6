/** A clock that can rest. It counts by the time of day, so a sleeping tab loses nothing. */

import { useEffect, useState } from 'react';
import type { MeditationStep } from '@/gen/catalogue/v1/catalogue_service_pb';
import { deviceMs } from '@/lib/clock';
import { beginOf, momentAt } from '../step-clock';

const TICK_MS = 500;

export type ClockState = 'idle' | 'running' | 'resting' | 'over';

/** Passed before it last went on, and since when it goes on. */
type Clock = { before: number; since: number | undefined };

const AT_REST: Clock = { before: 0, since: undefined };

function passed({ before, since }: Clock): number {
  return since === undefined ? before : before + Math.max(0, deviceMs() - since);
}

export function useStepClock(steps: readonly MeditationStep[]) {
  const [clock, setClock] = useState<Clock>();
  const [passedMs, setPassedMs] = useState(0);
  const { index, leftMs } = momentAt(steps, passedMs);
  const over = clock !== undefined && index >= steps.length;
  const running = clock?.since !== undefined && !over;

  useEffect(() => {
    if (!running || !clock) return;
    const timer = setInterval(() => setPassedMs(passed(clock)), TICK_MS);
    return () => clearInterval(timer);
  }, [running, clock]);

  function set(next: Clock | undefined): void {
    setClock(next);
    setPassedMs(next ? passed(next) : 0);
  }

  const state: ClockState = !clock ? 'idle' : over ? 'over' : running ? 'running' : 'resting';
  return {
    state,
    index,
    leftMs,
    passedMs,
    start: () => set({ ...AT_REST, since: deviceMs() }),
    rest: () => set({ before: clock ? passed(clock) : 0, since: undefined }),
    goOn: () => set({ before: clock?.before ?? 0, since: deviceMs() }),
    skip: () => {
      const before = beginOf(steps, index + 1);
      set({ before, since: running ? deviceMs() : undefined });
    },
    stop: () => set(undefined),
  };
}

export type StepClock = ReturnType<typeof useStepClock>;
