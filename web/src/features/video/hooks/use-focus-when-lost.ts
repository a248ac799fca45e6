import { type RefObject, useEffect } from 'react';

/** Takes the focus when what had it has just gone, and never from anywhere else. */
export function useFocusWhenLost(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const focused = document.activeElement;
    if (focused === null || focused === document.body) ref.current?.focus({ preventScroll: true });
  }, [ref]);
}
