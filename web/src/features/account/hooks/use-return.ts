/** Where this page leads when it has done its work. */
import { useCallback, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { useGo } from '@/lib/use-go';
import { returnPath } from '../return-path';

export function useReturn() {
  const { search } = useLocation();
  const go = useGo();
  const [back] = useState(() => returnPath(search, window.location.origin));
  const left = useRef(false);
  // The answer of the call and the news of the session both lead here; the first one goes.
  const leave = useCallback(() => {
    if (left.current) return;
    left.current = true;
    go(back, { replace: true });
  }, [go, back]);
  return { back, leave };
}
