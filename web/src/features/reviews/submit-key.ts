/** The idempotency key of an attempt to publish a review. */
import { attemptKey, endAttempt as end } from '@/lib/attempt-key';

const NAME = 'reviewSubmitKey';

export function submitKey(parts: readonly string[]): string {
  return attemptKey(NAME, parts);
}

/** The attempt is over: the same words again would be a new review. */
export function endAttempt(): void {
  end(NAME);
}
