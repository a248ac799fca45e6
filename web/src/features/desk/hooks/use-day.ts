/** One day: its rows, which stay in their places, and what of it could not be read. */
import { useMemo } from 'react';
import { usePracticeZone } from '@/lib/practice';
import { rowsOfDay, rowsWith, withGaps } from '../model/day';
import { useBlockedTimes, useBookings } from './use-bookings';
import { useSteady } from './use-steady';

export function useDay(date: string, practitionerId: string, several: boolean) {
  const { timeZone } = usePracticeZone();
  const bookings = useBookings({ fromDate: date, days: 1 });
  const blocked = useBlockedTimes({ fromDate: date, days: 1 });
  const listed = bookings.data?.bookings;
  const blocks = blocked.data;

  // A part that cannot be read leaves the rest as it is.
  const isRead = listed !== undefined && (blocks !== undefined || blocked.isError);
  const latest = useMemo(() => {
    if (!isRead) return undefined;
    const all = rowsOfDay({ bookings: listed ?? [], blocks: blocks ?? [] }, date, timeZone);
    return rowsWith(all, practitionerId);
  }, [isRead, listed, blocks, date, timeZone, practitionerId]);

  const steady = useSteady({
    place: `${date}/${practitionerId}`,
    rows: latest,
    readAt: Math.max(bookings.dataUpdatedAt, blocked.dataUpdatedAt),
  });
  // With several people in one list a time between two rows is not free.
  const apart = practitionerId !== '' || !several;
  return {
    bookings,
    blocked,
    isRead: latest !== undefined,
    /** All that is there now, for the card that may change. */
    latest: latest ?? [],
    rows: apart ? withGaps(steady.rows) : steady.rows,
    steady,
  };
}
