/** Taking an earlier time that is offered: it moves the booking. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation } from '@tanstack/react-query';
import { type Booking, BookingService } from '@/gen/booking/v1/booking_service_pb';
import type { Waiting, WaitingOffer } from '@/gen/booking/v1/waiting_service_pb';
import { describeError } from '@/lib/errors';
import { endedTitle, isTimeRefused } from '../move';

type Ends = {
  onMoved: (after: Booking) => void;
  /** It was not moved, for this reason. */
  onRefused: (reason: string) => void;
};

function isRefusal(reason: string): boolean {
  const isGone = reason === 'CHANGED_SINCE' || reason === 'BOOKING_NOT_FOUND';
  return isGone || isTimeRefused(reason) || endedTitle(reason) !== '';
}

export function useTakeEarlier(waiting: Waiting, offer: WaitingOffer, ends: Ends) {
  const client = createClient(BookingService, useTransport());
  const take = useMutation({
    mutationFn: async () => {
      const { wish, earlierThanAt: shownStartsAt } = waiting;
      const { booking } = await client.moveOwnBooking({
        // An offer is taken once, so its id makes the key.
        idempotencyKey: `take-${offer.offerId}`,
        bookingId: wish?.earlierThanBookingId ?? '',
        sessionNumber: 0,
        ...(shownStartsAt && { shownStartsAt }),
        ...(offer.startsAt && { startsAt: offer.startsAt }),
      });
      if (!booking) throw new Error('The answer holds no booking.');
      return booking;
    },
    onSuccess: ends.onMoved,
    onError: (error) => {
      const { reason } = describeError(error);
      if (isRefusal(reason)) ends.onRefused(reason);
    },
  });
  const { error, isPending: busy, mutate } = take;
  const problem = error ? describeError(error) : undefined;
  const isLost = problem !== undefined && (problem.lost || problem.retryable);
  return { take: () => mutate(), busy, error: error ?? undefined, isLost };
}
