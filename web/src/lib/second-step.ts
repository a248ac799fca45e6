/**
 * Some calls of staff want the second step of the last minutes. Such a call waits while the person
 * is asked for it, and is then made again; this is where the call and the page meet.
 */

/** Asks the person; says whether the step was done. */
export type Asker = () => Promise<boolean>;

let asker: Asker | undefined;
let asked: Promise<boolean> | undefined;

/** Says who asks, until the returned function is called. */
export function askThrough(next: Asker): () => void {
  asker = next;
  return () => {
    if (asker === next) asker = undefined;
  };
}

/** Asks for the step; calls that are refused meanwhile wait for the same answer. */
export function askForSecondStep(): Promise<boolean> {
  asked ??= (asker?.() ?? Promise.resolve(false)).finally(() => {
    asked = undefined;
  });
  return asked;
}
