/** What follows, once, when a booking comes to its last step while the page is open. */
import { useEffect, useState } from 'react';
import { clearDraft } from '../draft';
import { writeHeld } from '../held-booking';
import { renewIdempotencyKey } from '../request-idempotency-key';

/** Bookings for which this document has shown its congratulations. */
const cheered = new Set<string>();

/** Whether the booking came to its last step here; `isComing` is true when it does. */
export function useArrival(bookingId: string, isComing: boolean, cheer: () => void): boolean {
  const [here, setHere] = useState('');
  if (isComing && here !== bookingId) setHere(bookingId);
  const arrived = here !== '' && here === bookingId;

  useEffect(() => {
    if (!arrived || cheered.has(bookingId)) return;
    cheered.add(bookingId);
    clearDraft();
    writeHeld(null);
    renewIdempotencyKey();
    cheer();
  }, [arrived, bookingId, cheer]);

  return arrived;
}
