/** The idempotency key of an attempt to publish a review. */
import { endAttempt as end, keyOfAttempt as keyOf } from '@/lib/idempotency-key';

const NAME = 'reviewSubmitKey';

export function keyOfAttempt(parts: readonly string[]): string {
  return keyOf(NAME, parts);
}

/** The attempt is over: the same words again would be a new review. */
export function endAttempt(): void {
  end(NAME);
}
