/**
 * A piece of the page whose code is fetched when it is first needed. Unlike with React.lazy, code
 * that cannot be had takes no page away: the piece says so, and can be asked for again.
 */
import { useCallback, useEffect, useRef, useState } from 'react';

export type LazyModule<T> = {
  /** Undefined until it is there. */
  piece: T | undefined;
  /** It is being loaded. */
  coming: boolean;
  /** How many attempts to load it have failed. */
  failures: number;
  /** Fetches it, once; says whether it is there. */
  fetch: () => Promise<boolean>;
};

/** Code that is fetched once for the whole document, however many components use it. */
export type LazyLoader<T> = {
  /** Undefined until it came. */
  known: T | undefined;
  load: () => Promise<T>;
};

export function lazyLoader<T>(load: () => Promise<T>): LazyLoader<T> {
  const code: LazyLoader<T> = {
    known: undefined,
    load: async () => {
      code.known ??= await load();
      return code.known;
    },
  };
  return code;
}

type Stage<T> = Omit<LazyModule<T>, 'fetch'>;

export function useLazyModule<T>(load: () => Promise<T>): LazyModule<T> {
  const [stage, setStage] = useState<Stage<T>>({ piece: undefined, coming: false, failures: 0 });
  const attempt = useRef<Promise<boolean>>(undefined);
  const loader = useRef(load);

  useEffect(() => {
    loader.current = load;
  }, [load]);

  const fetch = useCallback(() => {
    if (attempt.current) return attempt.current;
    setStage((before) => ({ ...before, coming: true }));
    attempt.current = loader.current().then(
      (piece) => {
        setStage({ piece, coming: false, failures: 0 });
        return true;
      },
      () => {
        attempt.current = undefined;
        setStage(({ failures }) => ({ piece: undefined, coming: false, failures: failures + 1 }));
        return false;
      },
    );
    return attempt.current;
  }, []);

  return { ...stage, fetch };
}
