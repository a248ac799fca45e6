/** Where this page leads when it has done its work. */
import { useCallback, useMemo } from 'react';
import { useLocation } from 'react-router';
import { useGo } from '@/lib/use-go';
import { returnPath } from '../return-path';

export function useReturn() {
  const { search } = useLocation();
  const go = useGo();
  const back = useMemo(() => returnPath(search, window.location.origin), [search]);
  const leave = useCallback(() => go(back, { replace: true }), [go, back]);
  return { back, leave };
}
