/** Says on the page of the lists that a cancellation took effect: the booking leaves its place then. */
import { useEffect, useRef } from 'react';
import { toast } from '@/components/ui/toast-store';
import { type Booking, BookingState } from '@/gen/booking/v1/booking_service_pb';
import type { Money } from '@/gen/common/v1/money_pb';
import { cancelledWords } from '../refund-words';

type Lists = { coming: readonly Booking[] | undefined; past: readonly Booking[] | undefined };

export function useEndedToast({ coming, past }: Lists): void {
  /** What goes back of the bookings whose cancellation was seen under way. */
  const awaited = useRef(new Map<string, Money | undefined>());

  useEffect(() => {
    for (const { bookingId, pendingCancellation } of coming ?? []) {
      if (pendingCancellation) awaited.current.set(bookingId, pendingCancellation.refund);
      else awaited.current.delete(bookingId);
    }
    for (const booking of past ?? []) {
      const { bookingId, state } = booking;
      if (state !== BookingState.CANCELLED || !awaited.current.has(bookingId)) continue;
      toast({ title: cancelledWords(booking, awaited.current.get(bookingId)) });
      awaited.current.delete(bookingId);
    }
  }, [coming, past]);
}
