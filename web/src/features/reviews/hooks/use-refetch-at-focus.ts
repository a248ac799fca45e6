import { useEffect } from 'react';

type Refetch = (options: { cancelRefetch: boolean }) => unknown;

/**
 * Reads again when the window gets the focus. The query client itself notices hidden tabs, but not
 * windows side by side.
 */
export function useRefetchAtFocus(refetch: Refetch): void {
  useEffect(() => {
    const ask = () => void refetch({ cancelRefetch: false });
    window.addEventListener('focus', ask);
    return () => window.removeEventListener('focus', ask);
  }, [refetch]);
}
