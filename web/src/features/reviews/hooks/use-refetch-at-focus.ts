import { useEffect } from 'react';

type Refetch = (options: { cancelRefetch: boolean }) => unknown;

/**
 * Asks again when the window is looked at. The query client itself hears of tabs that were hidden,
 * but not of windows that stand side by side.
 */
export function useRefetchAtFocus(refetch: Refetch): void {
  useEffect(() => {
    const ask = () => void refetch({ cancelRefetch: false });
    window.addEventListener('focus', ask);
    return () => window.removeEventListener('focus', ask);
  }, [refetch]);
}
