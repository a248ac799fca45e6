import { useEffect, useState } from 'react';
import { measureClock, onClockSet, serverNow } from './clock';

const LOOK_EVERY_MS = 20_000;

/** The time by the server's clock, read again each so many milliseconds. */
export function useServerNow(everyMs: number = LOOK_EVERY_MS): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    const look = () => setNow(serverNow());
    look();
    void measureClock();
    const timer = setInterval(look, everyMs);
    const stop = onClockSet(look);
    return () => {
      clearInterval(timer);
      stop();
    };
  }, [everyMs]);
  return now;
}
