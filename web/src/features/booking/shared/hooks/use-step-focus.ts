/** Where the focus goes when a step of the flow comes, and when a window over the page closes. */
import { useEffect, useRef } from 'react';

function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}

/** Nothing on the page has the focus; a frame that has it is the payment window, which goes. */
function isFocusLost(): boolean {
  const focused = document.activeElement;
  return !focused || focused === document.body || focused instanceof HTMLIFrameElement;
}

function wasWindow(node: Node): boolean {
  if (!(node instanceof Element)) return false;
  return node.matches('iframe') || node.querySelector('iframe') !== null;
}

/**
 * The payment window holds the focus while it is open, and the focus is lost when it closes. If the
 * page shows another step by then, the button that opened the window is gone.
 */
export function focusAfterWindow(): void {
  requestAnimationFrame(() => {
    if (isFocusLost()) focusHeading();
  });
}

/** The browser's own memory of where a step was scrolled to is not used: its steps are one page. */
function useOwnScrolling(): void {
  useEffect(() => {
    const before = window.history.scrollRestoration;
    window.history.scrollRestoration = 'manual';
    return () => {
      window.history.scrollRestoration = before;
    };
  }, []);
}

/**
 * A new step begins at the top, with the focus on its heading. `from` is the step before the first
 * one, where another part of the page has shown it.
 */
export function useStepFocus(step: string, from?: string): void {
  const shown = useRef(from);
  useOwnScrolling();

  useEffect(() => {
    const before = shown.current;
    shown.current = step;
    if (before === undefined || before === step) return;
    window.scrollTo({ top: 0, behavior: 'instant' });
    focusHeading();
  }, [step]);

  useEffect(() => {
    const watcher = new MutationObserver((changes) => {
      const closed = changes.some(({ removedNodes }) => [...removedNodes].some(wasWindow));
      if (closed && isFocusLost()) focusHeading();
    });
    watcher.observe(document.body, { childList: true });
    return () => watcher.disconnect();
  }, []);
}
