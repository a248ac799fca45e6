/**
 * When the page asks whether money arrived. It steers the screen only: the server goes on asking
 * for days, whatever is shown here.
 */
import { deviceMs } from '@/lib/clock';
import { wait } from '@/lib/wait';

const FIRST_WINDOW_SECONDS = 40;
const RETRY_WINDOW_SECONDS = 300;
const AFTER_UNPAID_MS = 10_000;
const AFTER_ERROR_MS = 15_000;
const FIRST_WINDOW_TRIES_MAX = 4;
const RETRY_WINDOW_TRIES_MAX = 30;

/** "returned": money was seen that cannot be kept, and goes back. */
export type CheckResult = 'paid' | 'returned' | 'unpaid' | 'error';

export type WindowKind = 'first' | 'retry';

export type WindowEnd = 'paid' | 'returned' | 'stopped' | 'timeout' | 'unable' | 'exhausted';

export function windowSeconds(kind: WindowKind): number {
  return kind === 'first' ? FIRST_WINDOW_SECONDS : RETRY_WINDOW_SECONDS;
}

function triesMax(kind: WindowKind): number {
  return kind === 'first' ? FIRST_WINDOW_TRIES_MAX : RETRY_WINDOW_TRIES_MAX;
}

function delayAfter(result: CheckResult): number {
  return result === 'error' ? AFTER_ERROR_MS : AFTER_UNPAID_MS;
}

/** Whole seconds that the countdown shows. */
export function secondsLeft(deadline: number, now: number): number {
  return Math.max(0, Math.ceil((deadline - now) / 1000));
}

/** "0:40", "4:59" */
export function countdownText(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** The message when a window ended without a payment. */
export function endMessage(kind: WindowKind, end: WindowEnd): string {
  if (end === 'unable') return 'Unable to verify payment. Please contact support.';
  if (end === 'exhausted') return 'Payment verification timeout or max retries exceeded';
  if (kind === 'first') return 'Payment verification timeout after 40 seconds.';
  return 'Payment verification timeout. Please try again or contact support.';
}

type Run = {
  kind: WindowKind;
  deadline: number;
  check: () => Promise<CheckResult>;
  signal: AbortSignal;
  now?: () => number;
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
};

function endOf(kind: WindowKind, tries: number, answered: boolean): WindowEnd {
  if (!answered) return 'unable';
  return kind === 'retry' && tries >= triesMax(kind) ? 'exhausted' : 'timeout';
}

/** Asks by the schedule until money is found, the window ends, or the signal stops it. */
export async function runWindow(run: Run): Promise<WindowEnd> {
  const { kind, deadline, check, signal, now = deviceMs, pause = wait } = run;
  let tries = 0;
  let answered = false;
  while (tries < triesMax(kind) && !signal.aborted) {
    const result = await check();
    tries += 1;
    if (signal.aborted) break;
    if (result === 'paid' || result === 'returned') return result;
    answered ||= result === 'unpaid';
    const delay = delayAfter(result);
    if (now() + delay >= deadline) break;
    await pause(delay, signal);
  }
  // The stream can still bring the news, so the window stays open to its end.
  await pause(Math.max(0, deadline - now()), signal);
  return signal.aborted ? 'stopped' : endOf(kind, tries, answered);
}
