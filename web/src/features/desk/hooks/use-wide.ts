/** Whether the screen is so wide that the rail is shown: then there is a keyboard, most likely. */
import { useSyncExternalStore } from 'react';

const WIDE = '(min-width: 64rem)';

function isWide(): boolean {
  return window.matchMedia(WIDE).matches;
}

function onWidth(changed: () => void): () => void {
  const list = window.matchMedia(WIDE);
  list.addEventListener('change', changed);
  return () => list.removeEventListener('change', changed);
}

export function useWide(): boolean {
  return useSyncExternalStore(onWidth, isWide);
}
