/**
 * The one toast that may be shown at a time. A newer toast takes the place of the older one; one
 * with an action comes back afterwards, as long as its time is not over.
 */
import { deviceMs } from '@/lib/clock';

export type ToastVariant = 'default' | 'destructive';

export type ToastAction = {
  label: string;
  onAction: () => void;
  /** What the toast says when it comes back after another one. */
  again?: string;
};

export type ToastInput = {
  title: string;
  description?: string;
  variant?: ToastVariant;
  /** One thing that can be done about it; doing it dismisses the toast. */
  action?: ToastAction;
  /** How long it is shown; five seconds by default. */
  durationMs?: number;
  /**
   * The same words stand on the page, where they are needed: the toast is heard only, so that it
   * covers nothing.
   */
  beside?: boolean;
};

export type ToastEntry = ToastInput & {
  id: number;
  /** When an action is not offered any more, whatever happens to the toast. */
  until: number;
};

export const TOAST_DURATION_MS = 5000;
/** A toast without an action ends sooner while one with an action is waiting. */
export const TOAST_BRIEF_MS = 2500;
/** So that a second press on the same spot does not do the next action as well. */
export const TOAST_GAP_MS = 600;
export const TOAST_SWIPE_THRESHOLD = 50;

let current: ToastEntry | null = null;
let waiting: readonly ToastEntry[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function publish(next: ToastEntry | null): void {
  current = next;
  for (const listener of listeners) listener();
}

/** The newest toast that still has a noticeable time left. */
function newestWaiting(): ToastEntry | undefined {
  waiting = waiting.filter(({ until }) => until - deviceMs() > TOAST_GAP_MS);
  return waiting.at(-1);
}

function bringBack(): void {
  const entry = current ? undefined : newestWaiting();
  if (!entry) return;
  waiting = waiting.filter((other) => other !== entry);
  const description = entry.action?.again ?? entry.description;
  publish({ ...entry, ...(description ? { description } : {}) });
}

/** Shows a toast and returns its id. */
export function toast(input: ToastInput): number {
  lastId += 1;
  const { action, durationMs: wanted = TOAST_DURATION_MS } = input;
  if (current?.action) waiting = [...waiting, current];
  const brief = !action && newestWaiting() !== undefined;
  const durationMs = brief ? Math.min(wanted, TOAST_BRIEF_MS) : wanted;
  publish({ ...input, durationMs, id: lastId, until: deviceMs() + durationMs });
  return lastId;
}

/** Ends the toast with this id, shown or waiting. Without an id: whichever is shown. */
export function dismissToast(id?: number): void {
  waiting = waiting.filter((entry) => entry.id !== id);
  if (!current || (id !== undefined && current.id !== id)) return;
  publish(null);
  if (waiting.length > 0) setTimeout(bringBack, TOAST_GAP_MS);
}

export function subscribeToToast(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function currentToast(): ToastEntry | null {
  return current;
}
