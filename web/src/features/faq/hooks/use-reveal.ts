import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { anchorIn, reveal } from '../anchors';

/** Leads to the question that the address names, on the first paint and whenever it changes. */
export function useReveal(): void {
  const { hash, key } = useLocation();
  // The key is another one when the same link is followed again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  useEffect(() => {
    const anchor = anchorIn(hash);
    if (!anchor) return;
    // After the shell has led to the top of a page that the router shows.
    const frame = requestAnimationFrame(() => reveal(anchor));
    return () => cancelAnimationFrame(frame);
  }, [hash, key]);
}
