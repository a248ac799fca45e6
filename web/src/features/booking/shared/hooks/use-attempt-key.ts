import { useRef } from 'react';
import { randomKey } from '@/lib/random-key';

type Attempt = { choice: string; idempotencyKey: string };

/** The key of a choice: the same for what is asked once more, until it is forgotten. */
export function useAttemptKey() {
  const attempt = useRef<Attempt>(undefined);
  function keyOf(choice: string): string {
    const last = attempt.current;
    const next = last?.choice === choice ? last : { choice, idempotencyKey: randomKey() };
    attempt.current = next;
    return next.idempotencyKey;
  }
  function forget(): void {
    attempt.current = undefined;
  }
  return { keyOf, forget };
}
