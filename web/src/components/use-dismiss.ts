import { type RefObject, useEffect, useRef } from 'react';

/** The button that opens and closes a part of an element. */
const TRIGGER = '[aria-expanded="true"]';

/**
 * Closes an open element on Escape, on a press outside of the element that gets the ref, and when
 * the focus leaves it: an overlay would hide the focus. Escape returns the focus to the button that
 * opened the element, because a closed element cannot hold it.
 */
export function useDismiss<T extends HTMLElement>(
  open: boolean,
  close: () => void,
): RefObject<T | null> {
  const ref = useRef<T>(null);
  useEffect(() => {
    if (!open) return;
    const onPress = (event: Event) => {
      if (!ref.current?.contains(event.target as Node)) close();
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      const within = ref.current?.contains(document.activeElement);
      if (within) ref.current?.querySelector<HTMLElement>(TRIGGER)?.focus();
      close();
    };
    const onFocus = (event: FocusEvent) => {
      if (!ref.current?.contains(event.target as Node)) close();
    };
    document.addEventListener('pointerdown', onPress);
    document.addEventListener('keydown', onKey);
    document.addEventListener('focusin', onFocus);
    return () => {
      document.removeEventListener('pointerdown', onPress);
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('focusin', onFocus);
    };
  }, [open, close]);
  return ref;
}
