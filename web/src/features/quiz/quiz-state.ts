/** The quiz as a machine: welcome → selection → results. Pure; the time comes inside the actions. */

/** How long the quiz's clock runs. Nothing happens at its end. */
export const QUIZ_SECONDS = 90;

export type QuizState =
  | { step: 'welcome' }
  /** `begunAt` is a moment of a clock that never jumps, in milliseconds. */
  | { step: 'selection'; begunAt: number }
  | { step: 'results'; begunAt: number; areaId: string };

export type QuizStep = QuizState['step'];

export type QuizAction =
  | { kind: 'start'; at: number }
  | { kind: 'choose'; areaId: string }
  /** One step back. The clock goes on until the welcome is reached. */
  | { kind: 'back' }
  /** To the results of an area that was chosen before, with no time left to look at. */
  | { kind: 'resume'; areaId: string; at: number }
  /** To the welcome, with no area chosen and the whole time ahead. */
  | { kind: 'retake' };

export const STEPS: readonly QuizStep[] = ['welcome', 'selection', 'results'];

export const AT_WELCOME: QuizState = { step: 'welcome' };

function stepBack(state: QuizState): QuizState {
  return state.step === 'results' ? { step: 'selection', begunAt: state.begunAt } : AT_WELCOME;
}

/** The state after an action; an action that does not belong to the step changes nothing. */
export function nextState(state: QuizState, action: QuizAction): QuizState {
  switch (action.kind) {
    case 'start':
      return state.step === 'welcome' ? { step: 'selection', begunAt: action.at } : state;
    case 'choose':
      return state.step === 'selection'
        ? { step: 'results', begunAt: state.begunAt, areaId: action.areaId }
        : state;
    case 'back':
      return stepBack(state);
    case 'resume':
      return {
        step: 'results',
        begunAt: action.at - QUIZ_SECONDS * 1000,
        areaId: action.areaId,
      };
    case 'retake':
      return AT_WELCOME;
  }
}

/** When the clock was started, or undefined before that. */
export function begunAt(state: QuizState): number | undefined {
  return state.step === 'welcome' ? undefined : state.begunAt;
}

/** Whole seconds left: 90 at the beginning, 89 after one second, and 0 from 90 seconds on. */
export function secondsLeft(begun: number | undefined, now: number): number {
  if (begun === undefined) return QUIZ_SECONDS;
  const left = QUIZ_SECONDS - Math.floor(Math.max(0, now - begun) / 1000);
  return Math.max(0, left);
}

/** How long the shown second still lasts. */
export function untilNextSecond(begun: number, now: number): number {
  return 1000 - (Math.max(0, now - begun) % 1000);
}

/** 65 → "1:05" */
export function clockText(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function counted(count: number, unit: string): string {
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}

/** 65 → "1 minute 5 seconds", for screen readers. */
export function spokenTime(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  if (minutes === 0) return counted(rest, 'second');
  return rest === 0
    ? counted(minutes, 'minute')
    : `${counted(minutes, 'minute')} ${counted(rest, 'second')}`;
}

type Recommending = { areaId: string; recommendedServiceIds: readonly string[] };

/** The services that an area recommends, best first; one that is not offered any more is left out. */
export function recommendedFor<S extends { serviceId: string }>(
  area: Recommending | undefined,
  services: readonly S[],
): S[] {
  const ids = area?.recommendedServiceIds ?? [];
  return ids.flatMap((id) => services.find(({ serviceId }) => serviceId === id) ?? []);
}
