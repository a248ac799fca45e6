/**
 * The key of a client's way to a session. It travels behind the #, which no server and no log sees,
 * and leaves the address bar once it is read. This tab remembers it, because a phone reloads a tab
 * that was left for the meeting; no other tab, no later visit and no history has it.
 */
import { readTab, writeTab } from '@/lib/tab-storage';

const KEY = 'joinKey';
const IN_ADDRESS = /(?:^#|&)key=([A-Za-z0-9_-]{43})(?:&|$)/;

/** The key of the address, or the one that was opened last; nothing where there is neither. */
export function knownJoinKey(hash: string): string | undefined {
  const asked = IN_ADDRESS.exec(hash)?.[1];
  // A key that was cut off is never taken for the last one.
  if (asked || hash.includes('key=')) return asked;
  return readTab(KEY) ?? undefined;
}

/** Keeps the key for this tab and takes it out of the address bar and the history. */
export function rememberJoinKey(joinKey: string): void {
  writeTab(KEY, joinKey);
  const { hash, pathname, search } = window.location;
  // Where nothing is kept, the address is all that a reload has.
  if (IN_ADDRESS.test(hash) && readTab(KEY) === joinKey) {
    window.history.replaceState(window.history.state, '', `${pathname}${search}`);
  }
}

/** Forgets the key, which opens nothing any more. */
export function forgetJoinKey(): void {
  writeTab(KEY, null);
}
