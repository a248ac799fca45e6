/** Where this page leads when it has done its work. */
import { useCallback, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { useGo } from '@/lib/use-go';
import { returnPath } from '../return-path';

/** Goes there, once: the answer of the call and the news of the session both lead to it. */
export function useLeave(back: string): () => void {
  const go = useGo();
  const left = useRef(false);
  return useCallback(() => {
    if (left.current) return;
    left.current = true;
    go(back, { replace: true });
  }, [go, back]);
}

export function useReturn() {
  const { search } = useLocation();
  const [back] = useState(() => returnPath(search, window.location.origin));
  return { back, leave: useLeave(back) };
}
