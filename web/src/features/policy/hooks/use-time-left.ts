import { useEffect, useState } from 'react';

const SECOND_MS = 1000;

/** Milliseconds until a moment, updated each second, and 0 from then on. */
export function useTimeLeft(until: Date): number {
  const end = until.getTime();
  const [now, setNow] = useState(() => Date.now());
  const left = Math.max(0, end - now);
  const running = left > 0;

  useEffect(() => {
    setNow(Date.now());
    if (!running) return;
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, [running]);

  return left;
}
