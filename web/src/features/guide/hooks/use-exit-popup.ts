/** Opens the offer when a visitor is about to leave: once per session, and interrupting nothing. */
import { useCallback, useEffect, useState } from 'react';
import { EXIT_DELAY_MS, isBusy, leavesThroughTop, markShown, wasShown } from '../exit-popup-rules';

/** How often it is looked whether a dialog was closed or a field was left. */
const LOOK_MS = 500;

/**
 * waiting: neither did the time pass nor the pointer leave; due: one of them happened, and a good
 * moment is waited for; over: it was shown in this session, or cannot be shown.
 */
type State<Content> = { phase: 'waiting' | 'due' | 'over' } | { phase: 'open'; content: Content };

/** Calls back when the time has passed or the pointer leaves, whichever is first. */
function whenDue(call: () => void): () => void {
  const timer = setTimeout(call, EXIT_DELAY_MS);
  const onLeave = (event: MouseEvent) => {
    if (leavesThroughTop(event)) call();
  };
  // The event of leaving goes to the root alone and does not bubble, so it is captured.
  document.addEventListener('mouseleave', onLeave, true);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('mouseleave', onLeave, true);
  };
}

/** Calls back as soon as no dialog is open and no field has the focus. */
function whenFree(call: () => void): () => void {
  if (!isBusy()) {
    call();
    return () => {};
  }
  const timer = setInterval(() => {
    if (isBusy()) return;
    clearInterval(timer);
    call();
  }, LOOK_MS);
  return () => clearInterval(timer);
}

/** `load` fetches what is shown; it must be the same function every time. */
export function useExitPopup<Content>(load: () => Promise<Content>) {
  const [state, setState] = useState<State<Content>>({ phase: 'waiting' });
  const [content, setContent] = useState<{ value: Content }>();
  const { phase } = state;

  useEffect(() => {
    if (phase !== 'waiting') return;
    if (wasShown()) setState({ phase: 'over' });
    else return whenDue(() => setState({ phase: 'due' }));
  }, [phase]);

  useEffect(() => {
    if (phase !== 'due') return;
    let gone = false;
    load()
      .then((value) => gone || setContent({ value }))
      // Without its code it is not offered; nothing is missing on the page.
      .catch(() => gone || setState({ phase: 'over' }));
    return () => {
      gone = true;
    };
  }, [phase, load]);

  useEffect(() => {
    if (phase !== 'due' || !content) return;
    return whenFree(() => {
      markShown();
      setState({ phase: 'open', content: content.value });
    });
  }, [phase, content]);

  const close = useCallback(() => setState({ phase: 'over' }), []);
  return { state, close };
}
