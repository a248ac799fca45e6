/** One booking of the signed-in customer, read once and followed while it can still change. */
import { Code, createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useQuery, useQueryClient } from '@tanstack/react-query';
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

export function useBooking(bookingId: string, userId: string | undefined): BookingReading {
  const transport = useTransport();
  const queryClient = useQueryClient();
  const client = useMemo(() => createClient(BookingService, transport), [transport]);
  const enabled = bookingId !== '' && userId !== undefined;
  const queryKey = useMemo(() => ['booking', userId, bookingId], [userId, bookingId]);

  const query = useQuery({
    queryKey,
    enabled,
    // On the way back from a banking app, the booking is read again at once.
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const { booking } = await client.getBooking({ bookingId }, { signal });
      if (!booking) throw new Error('The answer holds no booking.');
      return newer(queryClient.getQueryData<Booking>(queryKey), booking);
    },
  });

  const learn = useCallback(
    (booking: Booking) => {
      const key = ['booking', userId, booking.bookingId];
      queryClient.setQueryData<Booking>(key, (known) => newer(known, booking));
    },
    [queryClient, userId],
  );

  const following = enabled && query.data !== undefined && !isSettled(query.data);
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
