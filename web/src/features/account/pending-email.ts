/** Remembers which address waits for its code, so that a reload shows the code's field again. */
import { readTab, writeTab } from '@/lib/tab-storage';

const KEY = 'addressToConfirm';

export function readPendingEmail(): string {
  return readTab(KEY) ?? '';
}

export function writePendingEmail(email: string | null): void {
  writeTab(KEY, email);
}
