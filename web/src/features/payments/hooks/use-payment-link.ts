/** The payment link of a booking: made once, and the same for a reload and for another tab. */
import { createClient, type Transport } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { BookingService } from '@/gen/booking/v1/booking_service_pb';
import {
  CollectionState,
  PaymentMethod,
  PaymentsService,
  type StartPaymentResponse,
} from '@/gen/payments/v1/payments_service_pb';
import { FLOW_KEYS, writeTab } from '@/lib/tab-storage';

export type PaymentLink = {
  /** The provider's page; empty once money has come. */
  address: string;
  paid: boolean;
};

type Opened = { link: PaymentLink; booking: Booking | undefined };

function toLink({ linkUrl, linkId, state }: StartPaymentResponse): PaymentLink {
  writeTab(FLOW_KEYS.order, linkId || null);
  return { address: linkUrl, paid: state === CollectionState.PAID };
}

async function startLink(
  transport: Transport,
  bookingId: string,
  signal?: AbortSignal,
): Promise<PaymentLink> {
  const payments = createClient(PaymentsService, transport);
  const request = {
    bookingId,
    idempotencyKey: `link-${bookingId}`,
    method: PaymentMethod.LINK,
  };
  return toLink(await payments.startPayment(request, signal ? { signal } : {}));
}

function keyOf(bookingId: string) {
  return ['payment-link', bookingId];
}

/** Says that the payment is being opened, which extends the hold, and makes the link. */
export function useOpenLink() {
  const transport = useTransport();
  const queryClient = useQueryClient();
  return useCallback(
    async (bookingId: string): Promise<Opened> => {
      const bookings = createClient(BookingService, transport);
      const idempotencyKey = `open-${bookingId}`;
      const { booking } = await bookings.openCheckout({ bookingId, idempotencyKey });
      const link = await startLink(transport, bookingId);
      queryClient.setQueryData(keyOf(bookingId), link);
      return { link, booking };
    },
    [transport, queryClient],
  );
}

/** The link of a booking that may still be paid for. */
export function usePaymentLink(bookingId: string, enabled: boolean) {
  const transport = useTransport();
  return useQuery({
    queryKey: keyOf(bookingId),
    enabled,
    queryFn: ({ signal }) => startLink(transport, bookingId, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
