/** Whether the payment of a link has arrived: the provider is asked at once. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation } from '@tanstack/react-query';
import {
  type CheckPaymentResponse,
  CollectionState,
  PaymentStatus,
  PaymentsService,
} from '@/gen/payments/v1/payments_service_pb';

/** "returned": money was seen that cannot be kept, and goes back. */
export type LinkOutcome = 'paid' | 'unpaid' | 'ended' | 'returned';

const CHECK_MS_MAX = 12_000;

export function outcomeOf({
  state,
  paymentStatus,
}: Pick<CheckPaymentResponse, 'state' | 'paymentStatus'>): LinkOutcome {
  switch (paymentStatus) {
    case PaymentStatus.PAID:
      return 'paid';
    case PaymentStatus.CANCELLED:
    case PaymentStatus.EXPIRED:
      return 'ended';
    default:
  }
  switch (state) {
    case CollectionState.PAID:
      return 'paid';
    case CollectionState.REFUNDING:
    case CollectionState.REFUNDED:
    case CollectionState.MISMATCHED:
      return 'returned';
    default:
      return 'unpaid';
  }
}

export function useLinkCheck(bookingId: string, onNews: (outcome: LinkOutcome) => void) {
  const transport = useTransport();
  return useMutation({
    mutationFn: async (): Promise<LinkOutcome> => {
      const payments = createClient(PaymentsService, transport);
      return outcomeOf(await payments.checkPayment({ bookingId }, { timeoutMs: CHECK_MS_MAX }));
    },
    onSuccess: onNews,
  });
}
