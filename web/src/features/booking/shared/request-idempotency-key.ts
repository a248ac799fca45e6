/**
 * The idempotency key of a request for a booking. The same content gets the same key, also after a
 * reload, so that an answer that was lost is given again instead of a second hold.
 */
import { randomKey } from '@/lib/random-key';
import { readTab, writeTab } from '@/lib/tab-storage';

const KEY = 'bookingRequestKey';
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** A short mark of a text (FNV-1a); it differs between two contents and reveals neither. */
export function fingerprint(text: string): string {
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME) >>> 0;
  }
  return hash.toString(16).padStart(8, '0');
}

export function idempotencyKey(content: string): string {
  let base = readTab(KEY);
  if (!base) {
    base = randomKey();
    writeTab(KEY, base);
  }
  return `${base}-${fingerprint(content)}`;
}

/** From now on the same content asks for a new booking. */
export function renewIdempotencyKey(): void {
  writeTab(KEY, randomKey());
}
