/**
 * A press that a person makes. Scanners of mails open pages and press their buttons, and a finger may
 * come down on a button that has just moved below it: what can't be taken back counts only once its
 * words were in sight for a second, in a visible page, and when the browser says that a person pressed.
 */
import { useEffect, useState } from 'react';

const SHOWN_MS = 1_000;

export type SteadyPress = {
  /** Whether a press counts by now. */
  ready: boolean;
  press: (event: { isTrusted: boolean }) => void;
};

/** `words` are those of the button: others begin their second anew. */
export function useSteadyPress(words: string, act: () => void): SteadyPress {
  const [seen, setSeen] = useState<string>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    function look() {
      clearTimeout(timer);
      setSeen(undefined);
      if (document.visibilityState !== 'visible') return;
      timer = setTimeout(() => setSeen(words), SHOWN_MS);
    }
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [words]);
  const ready = seen === words;
  return { ready, press: ({ isTrusted }) => (ready && isTrusted ? act() : undefined) };
}
