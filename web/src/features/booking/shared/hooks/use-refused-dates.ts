/** After a refusal: the dates of a package that are gone are chosen again, and the others stay. */
import { useEffect } from 'react';
import type { RefusedTimes } from '../refused-times';
import type { PackageDates } from './use-package-dates';
import type { Schedule } from './use-schedule';

export function useRefusedDates(
  refused: RefusedTimes | undefined,
  dates: PackageDates,
  schedule: Schedule,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each refusal.
  useEffect(() => {
    // Dates that were changed since are not those that were refused.
    if (!refused || !dates.areChosen(refused.starts)) return;
    let left = false;
    const nothing = (): number[] => [];
    void dates
      .findLost()
      .catch(nothing)
      .then((lost) => {
        if (left) return;
        const first = dates.lose(lost);
        if (first) schedule.tellLost(first, refused.reason);
        schedule.refetch();
      });
    return () => {
      left = true;
    };
  }, [refused]);
}
