import { useEffect } from 'react';
import { formatTime, type Zone } from '@/lib/time';
import { useServerNow } from '@/lib/use-server-now';
import { clockText, minuteToTell } from '../hold-clock';

const SECOND_MS = 1000;

type HoldTimerProps = {
  until: Date;
  zone: Zone;
  /** Called once when the time has run out on this clock; the server decides what that means. */
  onEnd: () => void;
};

/** How long the time is kept: real, because the server ends the hold then. */
export function HoldTimer({ until, zone, onEnd }: HoldTimerProps) {
  const left = Math.max(0, until.getTime() - useServerNow(SECOND_MS));
  const ended = left === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the time has run out.
  useEffect(() => {
    if (ended) onEnd();
  }, [ended]);

  return (
    <div className="rounded-input bg-sun-soft px-4 py-3">
      <p>
        Your time is kept until <strong className="numeric">{formatTime(until, zone)}</strong>
        <span className="numeric text-ink-2" aria-hidden="true">
          {' '}
          · {clockText(left)} left
        </span>
      </p>
      <p role="status" className="sr-only">
        {minuteToTell(left)}
      </p>
    </div>
  );
}
