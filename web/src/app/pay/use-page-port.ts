/** What the holder of a page's key does with the booking, as the parts of a client's own sessions do it. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMemo } from 'react';
import type { SessionPort } from '@/features/booking/own-sessions/session-port';
import { bookingOfPage } from '@/features/booking/shared/page-booking';
import { type PageNews, usePageNews } from '@/features/payments/hooks/use-payment-page';
import type {
  PreviewOwnCancellationResponse,
  PreviewOwnMoveResponse,
} from '@/gen/booking/v1/booking_service_pb';
import { type PaymentPage, PaymentPageService } from '@/gen/booking/v1/payment_page_service_pb';
import { SessionPageService } from '@/gen/booking/v1/session_page_service_pb';
import { errorReason } from '@/lib/errors';
import { pageEndOf } from './page-ended';

/** A key that has ended is found by reading the page again, which says what leads on. */
async function watched<Answer>(call: Promise<Answer>, { refresh }: PageNews): Promise<Answer> {
  try {
    return await call;
  } catch (cause) {
    if (pageEndOf(errorReason(cause))) refresh();
    throw cause;
  }
}

async function learned(call: Promise<{ page?: PaymentPage | undefined }>, news: PageNews) {
  const { page } = await watched(call, news);
  if (!page) throw new Error('The answer holds no page.');
  await news.learn(page);
  return bookingOfPage(page);
}

function cancellationIn(answer: { cancellation?: PreviewOwnCancellationResponse | undefined }) {
  if (!answer.cancellation) throw new Error('The answer does not say what comes back.');
  return answer.cancellation;
}

function moveIn(answer: { move?: PreviewOwnMoveResponse | undefined }) {
  if (!answer.move) throw new Error('The answer holds no starts.');
  return answer.move;
}

export function usePagePort(pageKey: string, joinKey: string): SessionPort {
  const transport = useTransport();
  const news = usePageNews(pageKey);
  return useMemo(() => {
    const pages = createClient(PaymentPageService, transport);
    const acts = createClient(SessionPageService, transport);
    return {
      ofAccount: false,
      read: () => learned(pages.getPaymentPage({ pageKey }), news),
      previewCancellation: async (_booking, sessionNumber) => {
        const asked = acts.previewPageCancellation({ pageKey, sessionNumber });
        const answer = await watched(asked, news);
        return { cancellation: cancellationIn(answer), codeNeeded: answer.codeNeeded };
      },
      cancel: (_booking, { expectedVersion: _none, shownRefund, ...asked }) =>
        learned(
          acts.cancelByPage({ pageKey, ...asked, ...(shownRefund && { shownRefund }) }),
          news,
        ),
      undo: (_booking, idempotencyKey) =>
        learned(acts.undoByPage({ pageKey, idempotencyKey }), news),
      previewMove: async (_booking, range, signal) => {
        const asked = acts.previewPageMove({ pageKey, ...range }, signal ? { signal } : {});
        const answer = await watched(asked, news);
        return { move: moveIn(answer), codeNeeded: answer.codeNeeded };
      },
      move: (_booking, asked) => learned(acts.moveByPage({ pageKey, ...asked }), news),
      tellLate: (_booking, late) => learned(acts.tellLateByPage({ pageKey, ...late }), news),
      calendarFile: () => watched(pages.getPageCalendarFile({ pageKey }), news),
      joinPath: () => (joinKey ? `/join#key=${joinKey}` : ''),
      requestCode: () => watched(acts.requestPageCode({ pageKey }), news),
    };
  }, [pageKey, joinKey, transport, news]);
}
