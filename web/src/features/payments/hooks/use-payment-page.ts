/** The page of a booking that staff made by phone: read, agreed to and paid by its key alone. */
import { type Client, createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { BookingState } from '@/gen/booking/v1/booking_service_pb';
import { type PaymentPage, PaymentPageService } from '@/gen/booking/v1/payment_page_service_pb';
import { PagePaymentService } from '@/gen/payments/v1/page_payment_service_pb';
import { CollectionState } from '@/gen/payments/v1/payments_service_pb';
import type { ShownTexts } from '@/lib/legal-text';
import type { ConsentInit } from '../page-consent';
import { type LinkOutcome, outcomeOf } from './use-link-check';
import type { PaymentLink } from './use-payment-link';

/** How often a page is read again while it waits for money. */
const POLL_MS = 5000;
const CHECK_MS_MAX = 12_000;

export function isPayable({ state }: PaymentPage): boolean {
  return state === BookingState.HELD || state === BookingState.AWAITING_PAYMENT;
}

/** Whether all that comes before the payment was given. */
export function isAgreed({ termsAccepted, needsConsent }: PaymentPage): boolean {
  return termsAccepted && !needsConsent;
}

function isWaiting(page: PaymentPage): boolean {
  return isPayable(page) && isAgreed(page);
}

function keyOf(pageKey: string) {
  return ['payment-page', pageKey];
}

/** `readAgainIn` says in how many milliseconds a page is read again that waits for no money. */
export function usePaymentPage(
  pageKey: string,
  readAgainIn: (page: PaymentPage) => number | false = () => false,
) {
  const transport = useTransport();
  return useQuery({
    queryKey: keyOf(pageKey),
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const client = createClient(PaymentPageService, transport);
      const { page } = await client.getPaymentPage({ pageKey }, { signal });
      if (!page) throw new Error('The answer holds no page.');
      return page;
    },
    refetchInterval: ({ state: { data } }) => {
      if (!data) return false;
      return isWaiting(data) ? POLL_MS : readAgainIn(data);
    },
  });
}

export type PageNews = {
  /** Takes a page that an act has answered with. */
  learn: (page: PaymentPage) => Promise<void>;
  /** Reads it again. */
  refresh: () => void;
};

/** Brings what an act has changed to the page. */
export function usePageNews(pageKey: string): PageNews {
  const queries = useQueryClient();
  return useMemo(() => {
    const queryKey = keyOf(pageKey);
    return {
      learn: async (page) => {
        // A read of before would bring the old page back.
        await queries.cancelQueries({ queryKey });
        queries.setQueryData<PaymentPage>(queryKey, page);
      },
      refresh: () => void queries.invalidateQueries({ queryKey }),
    };
  }, [queries, pageKey]);
}

/** Accepts the terms, with the consent where one is needed. */
export function useAcceptTerms(pageKey: string) {
  const transport = useTransport();
  const queryClient = useQueryClient();
  return useCallback(
    async (shown: ShownTexts, signed?: { consent: ConsentInit; code: string }): Promise<void> => {
      const client = createClient(PaymentPageService, transport);
      const consent = signed && { consent: signed.consent, consentCode: signed.code };
      const asked = { pageKey, termsAccepted: true, shown, ...consent };
      const { page } = await client.acceptTerms(asked);
      if (page) queryClient.setQueryData(keyOf(pageKey), page);
    },
    [pageKey, transport, queryClient],
  );
}

type Payments = Client<typeof PagePaymentService>;

export function pageLinkKey(pageKey: string) {
  return ['page-link', pageKey];
}

export async function startPageLink(
  payments: Payments,
  pageKey: string,
  signal?: AbortSignal,
): Promise<PaymentLink> {
  const asked = { pageKey, idempotencyKey: 'page-link' };
  const { linkUrl, state } = await payments.startPagePayment(asked, signal ? { signal } : {});
  return { address: linkUrl, paid: state === CollectionState.PAID };
}

/** The payment link of the page; made once, and the same for a reload. */
export function usePageLink(pageKey: string, enabled: boolean) {
  const transport = useTransport();
  return useQuery({
    queryKey: pageLinkKey(pageKey),
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      startPageLink(createClient(PagePaymentService, transport), pageKey, signal),
  });
}

export function usePageCheck(pageKey: string, onNews: (outcome: LinkOutcome) => void) {
  const transport = useTransport();
  return useMutation({
    mutationFn: async (): Promise<LinkOutcome> => {
      const client = createClient(PagePaymentService, transport);
      return outcomeOf(await client.checkPagePayment({ pageKey }, { timeoutMs: CHECK_MS_MAX }));
    },
    onSuccess: onNews,
  });
}

/** The papers of the booking: their numbers, days and sums. */
export function usePageReceipts(pageKey: string) {
  const transport = useTransport();
  return useQuery({
    queryKey: ['page-receipts', pageKey],
    queryFn: async ({ signal }) => {
      const client = createClient(PagePaymentService, transport);
      return (await client.listPageReceipts({ pageKey }, { signal })).receipts;
    },
  });
}
