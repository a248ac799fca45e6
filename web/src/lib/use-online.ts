/** Whether the browser believes that it is connected. What it says is a hint, never a proof. */
import { useEffect, useRef, useSyncExternalStore } from 'react';

export function isOnline(): boolean {
  return typeof navigator === 'undefined' || navigator.onLine !== false;
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

/** True in prerendered HTML: a browser that got it is connected. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, isOnline, () => true);
}

/** Does something each time the connection comes back; nothing where there is nothing to do. */
export function useWhenOnline(act: (() => void) | undefined): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const again = () => latest.current?.();
    window.addEventListener('online', again);
    return () => window.removeEventListener('online', again);
  }, []);
}
