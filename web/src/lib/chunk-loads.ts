/**
 * Loads of pages' code: whether one takes so long that the page has to say so, and that one failed.
 * The router keeps the old page until the new one is loaded, so a slow load would look like a link
 * that does nothing.
 */
import { useSyncExternalStore } from 'react';

/** A faster load needs no progress bar; a short flash of one would only disturb. */
const SLOW_AFTER_MS = 250;

/** The code of a page did not come: the connection broke, or a newer version has replaced it. */
export class PageNotLoaded extends Error {
  override readonly name = 'PageNotLoaded';
  /** Tries to load it again. */
  readonly again: () => Promise<void>;
  /** Whether the failure was shown. Met again, the visitor has come back and wants another try. */
  told = false;

  constructor(again: () => Promise<void>, cause: unknown) {
    super('The code of this page could not be loaded.', { cause });
    this.again = again;
  }
}

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
