/** The earliest free start of a service: read after the page is loaded, and again later. */
import { useEffect, useState } from 'react';
import { readNextFree } from '@/lib/read-slots';

/** Other customers book too, so a time on an open page is read again. */
export const REFRESH_MS = 60_000;

/** Undefined while it is not known; null where nothing is free, or where there was no answer. */
export type NextFree = Date | null | undefined;

export function useNextFree(serviceId: string | undefined): NextFree {
  const [next, setNext] = useState<NextFree>();

  useEffect(() => {
    if (!serviceId) return;
    const stop = new AbortController();
    const { signal } = stop;
    const ask = () => {
      if (document.visibilityState === 'hidden') return;
      readNextFree(serviceId, signal).then(
        (at) => signal.aborted || setNext(at ?? null),
        () => signal.aborted || setNext(null),
      );
    };
    ask();
    const timer = setInterval(ask, REFRESH_MS);
    // Also after Back, when the browser shows the page as it was left.
    document.addEventListener('visibilitychange', ask);
    window.addEventListener('online', ask);
    return () => {
      stop.abort();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', ask);
      window.removeEventListener('online', ask);
    };
  }, [serviceId]);

  return next;
}
