/**
 * The idempotency key of an attempt to publish. The same content keeps its key, also over a reload,
 * so that an answer that was lost is given again instead of a second review.
 */
import { randomKey } from '@/lib/random-key';
import { readTab, writeTab } from '@/lib/tab-storage';

const KEY = 'reviewSubmitKey';
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

type Attempt = { key: string; content: string };

/** A short mark of a text (FNV-1a), so that the text itself is not written down once more. */
function markOf(text: string): string {
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME) >>> 0;
  }
  return `${hash.toString(16)}-${text.length}`;
}

function readAttempt(): Partial<Attempt> {
  try {
    return (JSON.parse(readTab(KEY) ?? '{}') ?? {}) as Partial<Attempt>;
  } catch {
    return {};
  }
}

/** The key for this content: that of the last attempt if nothing was changed since. */
export function submitKey(parts: readonly string[]): string {
  const content = markOf(parts.join('\u0000'));
  const last = readAttempt();
  if (last.key && last.content === content) return last.key;
  const key = randomKey();
  writeTab(KEY, JSON.stringify({ key, content }));
  return key;
}

/** The attempt is over: the same words again would be a new review. */
export function endAttempt(): void {
  writeTab(KEY, null);
}
