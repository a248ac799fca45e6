import { useLayoutEffect } from 'react';
import { useLocation, useNavigationType } from 'react-router';

/** Where the list stood when it was left, by the history entry that it belongs to. */
let left: { key: string; top: number } | undefined;

/**
 * Brings the list back to where it was left, once it is as long as it was then. The browser does
 * that only for pages that are there at once.
 */
export function useReturnScroll(ready: boolean): void {
  const { key } = useLocation();
  const navigation = useNavigationType();

  useLayoutEffect(() => {
    if (!ready || navigation !== 'POP' || left?.key !== key) return;
    window.scrollTo({ top: left.top, behavior: 'instant' });
    left = undefined;
  }, [ready, navigation, key]);

  useLayoutEffect(
    () => () => {
      left = { key, top: window.scrollY };
    },
    [key],
  );
}
