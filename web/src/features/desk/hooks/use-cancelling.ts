/**
 * Cancelling for a client or for the practice: the first call says what would go back, the second does
 * it. What was shown a while ago is asked for again, and another sum is shown before it is done.
 */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  CancelBookingResponse,
  CancellationRefund,
  CancelledBy,
  PreviewCancellationResponse,
} from '@/gen/booking/v1/booking_staff_service_pb';
import { deviceMs } from '@/lib/clock';
import { useMember } from '../member';
import { DESK } from './desk-keys';
import { useDeskNews } from './use-bookings';
import { useCommand } from './use-command';
import { useBookingStaff } from './use-desk-clients';

/** What was shown longer ago is asked for once more before it is done. */
const FRESH_MS = 10_000;

export type Cancellation = {
  bookingId: string;
  /** From 1; 0 for all that are left. */
  sessionNumber: number;
  cancelledBy: CancelledBy;
  refund: CancellationRefund;
};

function partsOf({ cancelledBy, refund }: Cancellation): string[] {
  return [String(cancelledBy), String(refund)];
}

export function isSameEnd(one: PreviewCancellationResponse, other: PreviewCancellationResponse) {
  return (
    one.refund?.minorUnits === other.refund?.minorUnits &&
    one.sessions.length === other.sessions.length
  );
}

export function useCancelling(wish: Cancellation, onDone: (answer: CancelBookingResponse) => void) {
  const staff = useBookingStaff();
  const { userId } = useMember();
  const { learn, refresh } = useDeskNews();
  const [changed, setChanged] = useState(false);
  const [looking, setLooking] = useState(false);
  const preview = useQuery({
    queryKey: [DESK, userId, 'cancellation', ...Object.values(wish)],
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    queryFn: ({ signal }) => staff.previewCancellation(wish, { signal }),
  });
  const cancelling = useCommand(
    (asked: Cancellation) => ({
      name: `cancel/${asked.bookingId}/${asked.sessionNumber}`,
      parts: partsOf(asked),
      send: (idempotencyKey) => staff.cancelBooking({ ...asked, idempotencyKey }),
    }),
    (answer) => {
      learn(answer.booking);
      onDone(answer);
    },
    () => void refresh(),
  );

  /** Does it, where what was shown is still what would happen. */
  async function confirm(): Promise<void> {
    const { data: shown, dataUpdatedAt } = preview;
    if (!shown || looking) return;
    setChanged(false);
    if (deviceMs() - dataUpdatedAt > FRESH_MS) {
      setLooking(true);
      const { data: now } = await preview.refetch();
      setLooking(false);
      if (!now) return;
      if (!isSameEnd(shown, now)) {
        setChanged(true);
        return;
      }
    }
    cancelling.run(wish);
  }

  const busy = cancelling.busy || looking;
  return { preview, cancelling: { ...cancelling, busy }, changed, confirm: () => void confirm() };
}
