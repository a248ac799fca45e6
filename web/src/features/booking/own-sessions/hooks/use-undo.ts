/** Takes a cancellation back. The key stays the same until there is an answer. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type Booking, BookingService } from '@/gen/booking/v1/booking_service_pb';
import { errorReason } from '@/lib/errors';
import { randomKey } from '@/lib/random-key';

type Ends = {
  onUndone: (booking: Booking) => void;
  /** It took effect before the press arrived. */
  onLate: () => void;
};

function isLate(error: unknown): boolean {
  return error !== null && errorReason(error) === 'CANCELLATION_TOOK_EFFECT';
}

export function useUndo(bookingId: string, { onUndone, onLate }: Ends) {
  const transport = useTransport();
  const [idempotencyKey] = useState(randomKey);
  const undo = useMutation({
    mutationFn: async () => {
      const client = createClient(BookingService, transport);
      const { booking } = await client.undoCancellation({ idempotencyKey, bookingId });
      if (!booking) throw new Error('The answer holds no booking.');
      return booking;
    },
    onSuccess: onUndone,
    onError: (error) => {
      if (isLate(error)) onLate();
    },
  });
  const { mutate, isPending: busy, error } = undo;
  return { undo: () => mutate(), busy, error: isLate(error) ? null : error };
}
