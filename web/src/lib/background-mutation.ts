/**
 * An attempt to send a form that outlasts the form. A visitor who leaves the page and comes back
 * before the answer finds the form still sending, and then its end. So nothing is sent twice because
 * a new form did not know of the old one's attempt.
 */
import { useEffect, useRef, useSyncExternalStore } from 'react';

type Listener<Outcome> = (outcome: Outcome) => void;

/** One form's attempts, one at a time. It lives as long as the document. */
export class BackgroundMutation<Outcome> {
  /** Called with an end that no form has got; says whether the next form shall get it. */
  readonly #unheard: (outcome: Outcome) => boolean;
  readonly #listeners = new Set<Listener<Outcome>>();
  readonly #watchers = new Set<() => void>();
  #running = false;
  #left: Outcome | undefined;

  constructor(unheard: (outcome: Outcome) => boolean) {
    this.#unheard = unheard;
  }

  isRunning = (): boolean => this.#running;

  /** Reports when an attempt begins and ends. */
  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** Hears every end from now on, and at once the one that no form has heard yet. */
  listen(listener: Listener<Outcome>): () => void {
    this.#listeners.add(listener);
    const left = this.#left;
    this.#left = undefined;
    if (left !== undefined) listener(left);
    return () => this.#listeners.delete(listener);
  }

  /** Begins, unless an attempt is running. `work` does not throw: every end is an outcome. */
  async run(work: () => Promise<Outcome>): Promise<void> {
    if (this.#running) return;
    this.#left = undefined;
    this.#turn(true);
    const outcome = await work();
    this.#turn(false);
    const listeners = [...this.#listeners];
    for (const listener of listeners) listener(outcome);
    if (listeners.length === 0 && this.#unheard(outcome)) this.#left = outcome;
  }

  #turn(running: boolean): void {
    this.#running = running;
    for (const watcher of this.#watchers) watcher();
  }
}

/** Whether an attempt is running; `onEnd` hears its end while the form is on the page. */
export function useBackgroundMutation<Outcome>(
  attempt: BackgroundMutation<Outcome>,
  onEnd: Listener<Outcome>,
): boolean {
  const latest = useRef(onEnd);
  useEffect(() => {
    latest.current = onEnd;
  });
  useEffect(() => attempt.listen((outcome) => latest.current(outcome)), [attempt]);
  return useSyncExternalStore(attempt.watch, attempt.isRunning, () => false);
}
