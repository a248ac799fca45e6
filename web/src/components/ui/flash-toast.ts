/** A toast that is raised on this page and shown on the next one, in another document. */
import { readTab, writeTab } from '@/lib/tab-storage';
import { type ToastInput, toast } from './toast-store';

const KEY = 'carriedToast';

/** Only the texts are kept; a toast's action ends with its document. */
export function setFlashToast(input: Omit<ToastInput, 'action'>): void {
  toast(input);
  writeTab(KEY, JSON.stringify(input));
}

/** Shows what an earlier document left to be said. */
export function showFlashToast(): void {
  const left = readTab(KEY);
  if (!left) return;
  writeTab(KEY, null);
  try {
    toast(JSON.parse(left) as ToastInput);
  } catch {
    // Other code wrote there; there is no toast to show.
  }
}
