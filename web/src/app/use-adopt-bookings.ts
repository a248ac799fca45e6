/** Asks once per account and page whether bookings that were made by phone belong to it. */
import { useEffect } from 'react';
import { useAuth } from '@/lib/auth';
import { whenIdle } from '@/lib/idle';
import { importWithRetry } from '@/lib/import-with-retry';

export function useAdoptBookings(): void {
  const { user } = useAuth();
  const userId = user?.id;
  useEffect(() => {
    if (!userId) return;
    return whenIdle(() => {
      // Where no answer comes, the next page asks again.
      importWithRetry(() => import('./adopt-bookings'))
        .then(({ adoptBookings }) => adoptBookings())
        .catch(() => {});
    });
  }, [userId]);
}
