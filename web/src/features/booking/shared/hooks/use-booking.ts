/** One booking of the signed-in customer, read once and followed while it can still change. */
import { Code, createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { type Query, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { type Booking, BookingService } from '@/gen/booking/v1/booking_service_pb';
import { describeError } from '@/lib/errors';
import { isSettled, newer } from '../booking-state';
import { followBooking } from '../follow-booking';

const MISSING = new Set([Code.NotFound, Code.InvalidArgument]);

export type BookingReading = {
  booking: Booking | undefined;
  error: unknown;
  /** There is no such booking, or it is another person's. */
  isMissing: boolean;
  isPending: boolean;
  refetch: () => void;
  /** Takes a booking that another call has answered with. */
  learn: (booking: Booking) => void;
};

/** Under which a booking is kept that was read for its owner. */
export function bookingKey(userId: string | undefined, bookingId: string) {
  return ['booking', userId, bookingId];
}

/** How it is kept up to date: by the stream of its news, or by a look after so many milliseconds. */
type Following = 'its news' | ((booking: Booking) => number);

export function useBooking(
  bookingId: string,
  userId: string | undefined,
  by: Following = 'its news',
): BookingReading {
  const transport = useTransport();
  const queryClient = useQueryClient();
  const client = useMemo(() => createClient(BookingService, transport), [transport]);
  const enabled = bookingId !== '' && userId !== undefined;
  const queryKey = useMemo(() => bookingKey(userId, bookingId), [userId, bookingId]);

  const query = useQuery({
    queryKey,
    enabled,
    // On the way back from a banking app, the booking is read again at once.
    staleTime: 0,
    refetchInterval: ({ state: { data } }: Query<Booking>) =>
      by !== 'its news' && data ? by(data) : false,
    queryFn: async ({ signal }) => {
      const { booking } = await client.getBooking({ bookingId }, { signal });
      if (!booking) throw new Error('The answer holds no booking.');
      return newer(queryClient.getQueryData<Booking>(queryKey), booking);
    },
  });

  const learn = useCallback(
    (booking: Booking) => {
      const key = bookingKey(userId, booking.bookingId);
      queryClient.setQueryData<Booking>(key, (known) => newer(known, booking));
    },
    [queryClient, userId],
  );

  const { data: known } = query;
  const following = by === 'its news' && enabled && known !== undefined && !isSettled(known);
  useEffect(() => {
    if (!following) return;
    const stop = new AbortController();
    void followBooking({ client, bookingId, signal: stop.signal, onBooking: learn });
    return () => stop.abort();
  }, [following, client, bookingId, learn]);

  const { data, error, isPending, refetch } = query;
  const again = useCallback(() => void refetch(), [refetch]);
  const isMissing = error !== null && MISSING.has(describeError(error).code);
  const pending = enabled && isPending;
  return { booking: data, error, isMissing, isPending: pending, refetch: again, learn };
}
