import { useState } from 'react';
import { readHeld } from '../held-booking';
import { type BookingReading, useBooking } from './use-booking';

/** The booking that this tab held when the page came. */
export function useHeld(userId: string | undefined): BookingReading {
  const [heldId] = useState(() => readHeld()?.bookingId ?? '');
  return useBooking(heldId, userId);
}
