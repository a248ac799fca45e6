/** The one toast that may be shown at a time. A newer toast takes the place of the older one. */
export type ToastVariant = 'default' | 'destructive';

export type ToastAction = { label: string; onAction: () => void };

export type ToastInput = {
  title: string;
  description?: string;
  variant?: ToastVariant;
  /** One thing that can be done about it; doing it dismisses the toast. */
  action?: ToastAction;
  /** How long it is shown; five seconds where nothing is said. */
  durationMs?: number;
};

export type ToastEntry = ToastInput & { id: number };

export const TOAST_DURATION_MS = 5000;
export const TOAST_SWIPE_THRESHOLD = 50;

let current: ToastEntry | null = null;
let lastId = 0;
const listeners = new Set<() => void>();

function publish(next: ToastEntry | null): void {
  current = next;
  for (const listener of listeners) listener();
}

/** Shows a toast and returns its id. */
export function toast(input: ToastInput): number {
  lastId += 1;
  publish({ ...input, id: lastId });
  return lastId;
}

/** Hides the toast, if it is still the one with this id. Without an id: whichever is shown. */
export function dismissToast(id?: number): void {
  if (current && (id === undefined || current.id === id)) publish(null);
}

export function subscribeToToast(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function currentToast(): ToastEntry | null {
  return current;
}

const API = { toast, dismiss: dismissToast };

/** The same functions as a hook, for components. */
export function useToast(): typeof API {
  return API;
}
