/** Makes the payment link and leads the tab to it, which was opened by the press itself. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { pageLinkKey, startPageLink } from '@/features/payments/hooks/use-payment-page';
import type { PaymentTab } from '@/features/payments/payment-tab';
import { PagePaymentService } from '@/gen/payments/v1/page_payment_service_pb';

export function usePayNow(pageKey: string) {
  const transport = useTransport();
  const queryClient = useQueryClient();
  return useCallback(
    async (tab: PaymentTab | undefined): Promise<void> => {
      const link = await startPageLink(createClient(PagePaymentService, transport), pageKey);
      queryClient.setQueryData(pageLinkKey(pageKey), link);
      if (link.address) tab?.go(link.address);
      else tab?.close();
    },
    [pageKey, transport, queryClient],
  );
}
