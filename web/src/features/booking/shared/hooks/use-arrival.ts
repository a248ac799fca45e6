/** What follows, once, when a booking comes to its last step while the page is open. */
import { useEffect, useState } from 'react';
import { clearDraft } from '../draft';
import { writeHeld } from '../held-booking';
import { renewIdempotencyKey } from '../request-idempotency-key';

/** What a page says of a booking that has come, and for which ones it has said so already. */
export type Cheers = { readonly said: Set<string>; cheer: () => void };

/** Whether the booking came to its last step here; `isComing` is true when it does. */
export function useArrival(bookingId: string, isComing: boolean, cheers: Cheers): boolean {
  const { said, cheer } = cheers;
  const [here, setHere] = useState('');
  if (isComing && here !== bookingId) setHere(bookingId);
  const arrived = here !== '' && here === bookingId;

  useEffect(() => {
    if (!arrived || said.has(bookingId)) return;
    said.add(bookingId);
    clearDraft();
    writeHeld(null);
    renewIdempotencyKey();
    cheer();
  }, [arrived, bookingId, said, cheer]);

  return arrived;
}
