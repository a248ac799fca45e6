import { useEffect, useState } from 'react';

/** Mails are sent at most so often. */
export const RESEND_SECONDS = 60;

/** Counts down to when something may be done again. */
export function useSpacing(startSeconds: number) {
  const [until, setUntil] = useState(() => Date.now() + startSeconds * 1000);
  const [now, setNow] = useState(() => Date.now());
  const left = Math.max(0, Math.ceil((until - now) / 1000));
  const waiting = left > 0;

  useEffect(() => {
    if (!waiting) return;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [waiting]);

  function restart(seconds: number) {
    setNow(Date.now());
    setUntil(Date.now() + seconds * 1000);
  }

  return { left, restart };
}
