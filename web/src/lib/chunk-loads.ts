/**
 * Whether the code of a page is on its way for so long that somebody should be told. The router
 * keeps the old page until the new one is there, so without this nothing would seem to happen.
 */
import { useSyncExternalStore } from 'react';

/** Below this nobody waits, and a flash of progress would only disturb. */
const SLOW_AFTER_MS = 250;

let running = 0;
let slow = false;
const listeners = new Set<() => void>();

function publish(next: boolean): void {
  if (slow === next) return;
  slow = next;
  for (const listener of listeners) listener();
}

/** Counts a load until it ends, well or badly. */
export async function followLoad<T>(load: Promise<T>): Promise<T> {
  running += 1;
  const timer = setTimeout(() => publish(true), SLOW_AFTER_MS);
  try {
    return await load;
  } finally {
    clearTimeout(timer);
    running -= 1;
    if (running === 0) publish(false);
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSlowLoad(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => slow,
    () => false,
  );
}
