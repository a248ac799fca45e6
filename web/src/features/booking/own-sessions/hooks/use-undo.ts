/** Takes a cancellation back. The key stays the same until there is an answer. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { describeError, errorReason } from '@/lib/errors';
import { randomKey } from '@/lib/random-key';
import { useSessionPort } from '../session-port';

type Ends = {
  onUndone: (booking: Booking) => void;
  /** It took effect before the press arrived. */
  onLate: () => void;
  /** No answer says whether it was done. */
  onUnheard: () => void;
};

function isLate(error: unknown): boolean {
  return error !== null && errorReason(error) === 'CANCELLATION_TOOK_EFFECT';
}

export function isUnheard(error: unknown): boolean {
  const { lost, retryable } = describeError(error);
  return lost || retryable;
}

export function useUndo(booking: Booking, { onUndone, onLate, onUnheard }: Ends) {
  const port = useSessionPort();
  const [idempotencyKey] = useState(randomKey);
  const undo = useMutation({
    mutationFn: () => port.undo(booking, idempotencyKey),
    onSuccess: onUndone,
    onError: (error) => {
      if (isLate(error)) onLate();
      else if (isUnheard(error)) onUnheard();
    },
  });
  const { mutate, isPending: busy, error } = undo;
  return { undo: () => mutate(), busy, error: isLate(error) ? null : error };
}
