import { useEffect, useState } from 'react';
import { deviceMs } from '@/lib/clock';

/** Mails are sent at most so often. */
export const RESEND_SECONDS = 60;

/** Counts down to when something may be done again. */
export function useSpacing(startSeconds: number) {
  const [until, setUntil] = useState(() => deviceMs() + startSeconds * 1000);
  const [now, setNow] = useState(deviceMs);
  const left = Math.max(0, Math.ceil((until - now) / 1000));
  const waiting = left > 0;

  useEffect(() => {
    if (!waiting) return;
    const timer = setInterval(() => setNow(deviceMs()), 500);
    return () => clearInterval(timer);
  }, [waiting]);

  function restart(seconds: number) {
    setNow(deviceMs());
    setUntil(deviceMs() + seconds * 1000);
  }

  return { left, restart };
}
