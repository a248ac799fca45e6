/** Several days at once: what stands on each, in one reading. */
import { useMemo } from 'react';
import { usePracticeZone } from '@/lib/practice';
import { type ReadRow, rowsOfDay } from '../model/day';
import { useBlockedTimes, useBookings } from './use-bookings';

export function useDays(dates: readonly string[]) {
  const { timeZone } = usePracticeZone();
  const asked = { fromDate: dates[0] ?? '', days: dates.length };
  const bookings = useBookings(asked);
  const blocked = useBlockedTimes(asked);
  const listed = bookings.data?.bookings;
  const blocks = blocked.data;
  const key = dates.join();
  const byDate = useMemo(() => {
    const read = { bookings: listed ?? [], blocks: blocks ?? [] };
    const rows = key.split(',').map((date) => [date, rowsOfDay(read, date, timeZone)] as const);
    return new Map<string, ReadRow[]>(rows);
  }, [key, listed, blocks, timeZone]);
  return { bookings, blocked, byDate, isRead: listed !== undefined };
}
