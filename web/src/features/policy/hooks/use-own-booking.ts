/** The booking that the address names, for the person who made it. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useQuery } from '@tanstack/react-query';
import { BookingService } from '@/gen/booking/v1/booking_service_pb';

export function useOwnBooking(bookingId: string, userId: string) {
  const transport = useTransport();
  return useQuery({
    queryKey: ['policy-booking', userId, bookingId],
    // A session may have been moved since the window last had the focus.
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const client = createClient(BookingService, transport);
      const { booking } = await client.getBooking({ bookingId }, { signal });
      if (!booking) throw new Error('The answer holds no booking.');
      return booking;
    },
  });
}
