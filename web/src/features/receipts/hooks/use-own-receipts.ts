import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { PaymentsService } from '@/gen/payments/v1/payments_service_pb';

/** The account's receipts of a financial year; without one, of the newest that has any. */
export function useOwnReceipts(userId: string, year: number | undefined) {
  const transport = useTransport();
  return useQuery({
    queryKey: ['own-receipts', userId, year],
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      createClient(PaymentsService, transport).listOwnReceipts(
        { financialYear: year ?? 0 },
        { signal },
      ),
  });
}
