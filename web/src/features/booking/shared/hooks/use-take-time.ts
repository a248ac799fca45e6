/** Choosing a time by a button that goes with the choice: the focus then goes to the time itself. */
import { useCallback, useEffect, useState } from 'react';
import { toast } from '@/components/ui/toast-store';
import type { Schedule } from './use-schedule';

/** Takes a start out of a suggestion. `chosen` is the start that is chosen now. */
export function useTakeTime(schedule: Schedule, chosen: string): (instant: string) => void {
  const { chooseTime, days } = schedule;
  const [taken, setTaken] = useState('');

  // biome-ignore lint/correctness/useExhaustiveDependencies: its day may have to be read first.
  useEffect(() => {
    if (!taken || taken !== chosen) return;
    const found = document.querySelector<HTMLElement>(
      `[data-testid="times"] input[value="${taken}"]`,
    );
    if (!found) return;
    found.focus();
    setTaken('');
  }, [taken, chosen, days]);

  return useCallback(
    (instant: string) => {
      setTaken(instant);
      chooseTime(instant);
    },
    [chooseTime],
  );
}

/** Says that a time is missing, and leads to the free ones. */
export function askForTimes(title: string): void {
  const description = 'Choose your preferred appointment time to continue.';
  toast({ title, description, variant: 'destructive', beside: true });
  document.querySelector<HTMLElement>('[data-testid="times"] input:enabled')?.focus();
}
