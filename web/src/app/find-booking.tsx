/**
 * Below a booking that was not found: it may have been made on the phone for the account's address. It
 * becomes the account's once that address is proved, so the page offers the proof and leads on.
 */
import { useEffect, useRef, useState } from 'react';
import { LazySection } from '@/components/lazy-section';
import { Skeleton } from '@/components/ui/skeleton';
import { useAuth } from '@/lib/auth';
import { importWithRetry } from '@/lib/import-with-retry';
import { lacksProof } from '@/lib/proved-address';
import { lazyLoader } from '@/lib/use-lazy-module';
import { adoptBookings } from './adopt-bookings';

const proveAddress = lazyLoader(
  async () =>
    (await importWithRetry(() => import('@/features/account/components/prove-address')))
      .ProveAddress,
);

type FindBookingProps = {
  /** Reads the booking again. */
  onFound: () => void;
};

export function FindBooking({ onFound }: FindBookingProps) {
  const { user } = useAuth();
  const [unproved, setUnproved] = useState(false);
  const found = useRef(onFound);
  found.current = onFound;
  const userId = user?.id;

  useEffect(() => {
    if (!userId) return;
    let stopped = false;
    async function look() {
      const adopted = await adoptBookings();
      if (stopped) return;
      if (adopted.length > 0) found.current();
      else if (await lacksProof()) setUnproved(true);
    }
    // Where no answer comes, the page stays as it is, and asks again when it is loaded again.
    look().catch(() => {});
    return () => {
      stopped = true;
    };
  }, [userId]);

  if (!user || !unproved) return null;
  return (
    <LazySection
      code={proveAddress}
      resting={<Skeleton className="h-48 rounded-card" />}
      missing="Your email could not be confirmed"
    >
      {(ProveAddress) => (
        <ProveAddress
          email={user.email}
          why="Did you book with us on the phone? That booking belongs to the account whose address is confirmed."
          onProved={() => {
            setUnproved(false);
            void adoptBookings().then(() => found.current());
          }}
        />
      )}
    </LazySection>
  );
}
