/**
 * The idempotency key of an attempt to send a form. The same content keeps its key, also over a
 * reload and until it was sent, so that an answer that was lost is given again instead of doing the
 * same twice.
 */
import { randomKey } from './random-key';
import { readTab, writeTab } from './tab-storage';

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

function readAttempt(name: string): Partial<Attempt> {
  try {
    return (JSON.parse(readTab(name) ?? '{}') ?? {}) as Partial<Attempt>;
  } catch {
    return {};
  }
}

/** The key for this content: that of the form's last attempt if nothing was changed since. */
export function keyOfAttempt(name: string, parts: readonly string[]): string {
  const content = markOf(parts.join('\u0000'));
  const last = readAttempt(name);
  if (last.key && last.content === content) return last.key;
  const key = randomKey();
  writeTab(name, JSON.stringify({ key, content }));
  return key;
}

/** The form's attempt is over: the same words again would be something new. */
export function endAttempt(name: string): void {
  writeTab(name, null);
}
