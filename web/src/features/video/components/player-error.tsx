import { useRef } from 'react';
import { Button } from '@/components/ui/button';
import { useFocusWhenLost } from '../hooks/use-focus-when-lost';
import { FALLBACK, failureTitle } from '../video-messages';

type PlayerErrorProps = { reason: string | null; onRetry: () => void };

/** Covers the whole player, which keeps its size: nothing on the page moves. */
export function PlayerError({ reason, onRetry }: PlayerErrorProps) {
  const again = useRef<HTMLButtonElement>(null);
  useFocusWhenLost(again);
  return (
    <div
      role="alert"
      className="absolute inset-0 grid place-items-center overflow-auto bg-surface p-4 text-center"
    >
      <div className="flex max-w-md flex-col items-center gap-3">
        <p className="font-semibold text-err">{failureTitle(reason)}</p>
        <p className="text-sm">{FALLBACK}</p>
        <Button ref={again} variant="secondary" size="sm" onClick={onRetry}>
          Try again
        </Button>
      </div>
    </div>
  );
}
