/** The step of the guide at a time: pure, so that every moment can be tested. */
import type { MeditationStep } from '@/gen/catalogue/v1/catalogue_service_pb';

const MINUTE_MS = 60_000;

type Steps = readonly Pick<MeditationStep, 'minutes'>[];

export type Moment = {
  /** The step that is on, counted from 0; the number of steps when all are over. */
  index: number;
  /** What is left of it. */
  leftMs: number;
};

export function momentAt(steps: Steps, passedMs: number): Moment {
  let begin = 0;
  for (const [index, { minutes }] of steps.entries()) {
    const end = begin + minutes * MINUTE_MS;
    if (passedMs < end) return { index, leftMs: end - Math.max(passedMs, begin) };
    begin = end;
  }
  return { index: steps.length, leftMs: 0 };
}

/** When a step begins. */
export function beginOf(steps: Steps, index: number): number {
  return steps.slice(0, index).reduce((sum, { minutes }) => sum + minutes * MINUTE_MS, 0);
}

/** Which part of a step is over, from 0 to 1. */
export function partOf(steps: Steps, index: number, passedMs: number): number {
  const length = (steps[index]?.minutes ?? 0) * MINUTE_MS;
  if (length === 0) return 0;
  return Math.min(1, Math.max(0, (passedMs - beginOf(steps, index)) / length));
}

/** "1:05"; a second that has begun is still there. */
export function clockText(leftMs: number): string {
  const seconds = Math.ceil(leftMs / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
