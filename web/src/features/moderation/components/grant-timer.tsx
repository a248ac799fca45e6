import { useEffect, useState } from 'react';
import { Button } from '@/components/ui/button';
import { deviceMs } from '@/lib/clock';
import { type Ends, LOOK_EVERY_MS, timeLeft } from '../grant-rules';

type GrantTimerProps = { ends: Ends; onStay: () => void };

/** When the panel locks itself, in whole minutes; shortly before, it can be put off. */
export function GrantTimer({ ends, onStay }: GrantTimerProps) {
  const [now, setNow] = useState(deviceMs);

  useEffect(() => {
    const timer = setInterval(() => setNow(deviceMs()), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, []);

  const { text, canStay } = timeLeft(ends, now);
  return (
    <div className="-mt-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm text-ink-2">
      <p className="numeric">{text}</p>
      <p role="status" className="sr-only">
        {canStay ? 'The panel locks itself soon. Press "Stay unlocked" to go on.' : ''}
      </p>
      {canStay ? (
        <Button variant="secondary" size="sm" onClick={onStay}>
          Stay unlocked
        </Button>
      ) : null}
    </div>
  );
}
