/** The seconds that the quiz still shows. */
import { useEffect, useState } from 'react';
import { secondsLeft, untilNextSecond } from '../quiz-state';

/**
 * Counts by a clock that never jumps, so that a tab which sleeps or a timer which is late shows the
 * right second as soon as it wakes. At 0 it stops.
 */
export function useQuizClock(begun: number | undefined): number {
  const [, setTicks] = useState(0);
  const seconds = secondsLeft(begun, performance.now());
  const over = seconds === 0;

  useEffect(() => {
    if (begun === undefined || over) return;
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      timer = setTimeout(
        () => {
          setTicks((ticks) => ticks + 1);
          wait();
        },
        untilNextSecond(begun, performance.now()),
      );
    };
    wait();
    return () => clearTimeout(timer);
  }, [begun, over]);

  return seconds;
}
