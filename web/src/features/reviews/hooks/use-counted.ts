/** The figures of verified reviews for what is no list of them: one plain read. */
import { useEffect, useState } from 'react';
import { plainStatistics } from '../api/plain-statistics';
import { type CountedNow, trustedOf } from '../counted';

export function useCounted(): CountedNow {
  const [counted, setCounted] = useState<CountedNow>();

  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    plainStatistics(signal).then(
      ({ verifiedCountsByRating: counts }) => signal.aborted || setCounted(trustedOf(counts)),
      () => signal.aborted || setCounted(null),
    );
    return () => stop.abort();
  }, []);

  return counted;
}
