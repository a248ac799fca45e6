/** Whether single keys do something at the desk, as this browser was told; they do where it was not. */
import { useSyncExternalStore } from 'react';

const KEY = 'deskKeys';

const listeners = new Set<() => void>();
/** For a browser that refuses storage: the choice then lasts as long as the page. */
let chosen: 'on' | 'off' = 'on';

function areKeysOn(): boolean {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === null ? true : kept !== 'off';
  } catch {
    return chosen === 'on';
  }
}

export function setKeysOn(on: boolean): void {
  chosen = on ? 'on' : 'off';
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // It is remembered above.
  }
  for (const listener of listeners) listener();
}

/** Reports changes, also those made in another tab. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

export function useKeysOn(): boolean {
  return useSyncExternalStore(subscribe, areKeysOn);
}
