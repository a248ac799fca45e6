/** A booking with its receipts, read again while a receipt is being written. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type Booking, BookingService } from '@/gen/booking/v1/booking_service_pb';
import { type Payer, PaymentsService, type Receipt } from '@/gen/payments/v1/payments_service_pb';
import { isReceiptDue, nextLookMs } from '../receipt-schedule';

export type Paper = {
  booking: Booking;
  receipts: Receipt[];
  /** The payer of later receipts. */
  payer: Payer | undefined;
  /** Whether that can be changed. */
  takesPayer: boolean;
  /** How often was looked, this time included. */
  looks: number;
};

/** How long to wait before the next look, or nothing where there is nothing to wait for. */
function waitMs(paper: Paper | undefined): number | undefined {
  if (!paper || paper.receipts.length > 0 || !isReceiptDue(paper.booking)) return undefined;
  return nextLookMs(paper.looks);
}

export function useReceipts(bookingId: string, userId: string | undefined) {
  const transport = useTransport();
  const queryClient = useQueryClient();
  const queryKey = ['receipts', userId, bookingId];
  const { data, error, refetch } = useQuery({
    queryKey,
    enabled: bookingId !== '' && userId !== undefined,
    staleTime: 0,
    queryFn: async ({ signal }): Promise<Paper> => {
      const [{ booking }, { receipts, payer, takesPayer }] = await Promise.all([
        createClient(BookingService, transport).getBooking({ bookingId }, { signal }),
        createClient(PaymentsService, transport).listReceipts({ bookingId }, { signal }),
      ]);
      if (!booking) throw new Error('The answer holds no booking.');
      const looks = (queryClient.getQueryData<Paper>(queryKey)?.looks ?? 0) + 1;
      return { booking, receipts, payer, takesPayer, looks };
    },
    refetchInterval: ({ state }) => (state.error ? false : (waitMs(state.data) ?? false)),
  });
  return {
    paper: data,
    error,
    /** A receipt is due, and the page goes on looking for it. */
    looking: waitMs(data) !== undefined,
    again: () => void refetch(),
    /** From the beginning, when it was looked often enough. */
    anew: () => void queryClient.resetQueries({ queryKey }),
  };
}
