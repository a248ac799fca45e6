/** The chosen filter, kept in the address. */
import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useHydrated } from '@/lib/use-hydrated';
import { FILTER_PARAM, type FilterName, readFilter } from '../filter-url';

export function useFilter(): [FilterName, (filter: FilterName) => void] {
  const [params, setParams] = useSearchParams();
  const hydrated = useHydrated();
  // Prerendered HTML knows no query.
  const inAddress = hydrated ? readFilter(params) : 'all';
  const [chosen, setChosen] = useState(inAddress);

  // The router follows in its own time; the choice itself is seen at once.
  useEffect(() => setChosen(inAddress), [inAddress]);

  function choose(next: FilterName) {
    setChosen(next);
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (next === 'all') after.delete(FILTER_PARAM);
        else after.set(FILTER_PARAM, next);
        return after;
      },
      { replace: true, preventScrollReset: true },
    );
  }

  return [chosen, choose];
}
