/** The date from which two weeks of free times are shown; none is over. */
import { useState } from 'react';
import { serverDate } from '@/lib/clock';
import { usePracticeZone } from '@/lib/practice';
import { localDate } from '@/lib/time';
import { dayAfter } from '../model/day';
import { SLOT_DAYS } from './use-slots';

function later(one: string, other: string): string {
  return one > other ? one : other;
}

export function useFromDate(first: string) {
  const { timeZone } = usePracticeZone();
  const today = localDate(serverDate(), timeZone);
  const [asked, setAsked] = useState(first);
  const fromDate = later(today, asked);
  const turn = (days: number) => setAsked(later(today, dayAfter(fromDate, days)));
  return {
    fromDate,
    onLater: () => turn(SLOT_DAYS),
    onEarlier: fromDate > today ? () => turn(-SLOT_DAYS) : undefined,
  };
}
