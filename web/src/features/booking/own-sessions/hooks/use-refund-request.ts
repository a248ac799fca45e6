/** A client's request for a refund of a booking: read, and asked for once. */
import { Code, createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  type GetRefundRequestResponse,
  type RefundRequest,
  RefundRequestService,
} from '@/gen/payments/v1/refund_request_service_pb';
import { describeError } from '@/lib/errors';
import { useAttemptKey } from '../../shared/hooks/use-attempt-key';

type Whose = { bookingId: string; userId: string };

function keyOf({ bookingId, userId }: Whose) {
  return ['refund-request', userId, bookingId];
}

/** The request, and until when there can be one. */
export function useRefundRequest(whose: Whose) {
  const transport = useTransport();
  const { data, error, refetch } = useQuery({
    queryKey: keyOf(whose),
    staleTime: 0,
    queryFn: ({ signal }) => {
      const { bookingId } = whose;
      return createClient(RefundRequestService, transport).getRefundRequest(
        { bookingId },
        { signal },
      );
    },
  });
  const isMissing = error !== null && describeError(error).code === Code.NotFound;
  return { data, error: isMissing ? null : error, refetch: () => void refetch() };
}

export function useRequestRefund(whose: Whose, onAsked: (request: RefundRequest) => void) {
  const client = createClient(RefundRequestService, useTransport());
  const queries = useQueryClient();
  const attempt = useAttemptKey();
  const ask = useMutation({
    mutationFn: async (reason: string) => {
      const idempotencyKey = attempt.keyOf(reason);
      const { bookingId } = whose;
      const { request } = await client.requestRefund({ idempotencyKey, bookingId, reason });
      if (!request) throw new Error('The answer holds no request.');
      return request;
    },
    onSuccess: (request) => {
      queries.setQueryData<GetRefundRequestResponse>(
        keyOf(whose),
        (known) => known && { ...known, request },
      );
      onAsked(request);
    },
    onError: (error) => {
      const { lost, retryable } = describeError(error);
      if (!lost && !retryable) attempt.forget();
      // A lost answer may be there by now, and the time may be over.
      void queries.invalidateQueries({ queryKey: keyOf(whose) });
    },
  });
  const { error, isPending: busy, mutate } = ask;
  const problem = error ? describeError(error) : undefined;
  const isLost = problem !== undefined && (problem.lost || problem.retryable);
  return { ask: (reason: string) => mutate(reason), busy, error, isLost };
}
