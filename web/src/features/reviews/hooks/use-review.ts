/**
 * One review. What its document holds, or a list knows of it already, is shown until the answer is
 * there.
 */
import { useTransport } from '@connectrpc/connect-query';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { getReview } from '@/gen/reviews/v1/get_review_read';
import type { GetReviewResponse, ListReviewsResponse } from '@/gen/reviews/v1/reviews_service_pb';
import { CODE } from '@/lib/codes';
import { complete, connectGetKey } from '@/lib/connect-get';
import { describeError } from '@/lib/errors';
import { useWrittenReview } from '@/lib/practice';
import { REVIEWS, readReview } from '../api/reads';
import { useRefetchAtFocus } from './use-refetch-at-focus';
import { LIST_PAGES } from './use-review-list';

const LISTS = connectGetKey(REVIEWS, LIST_PAGES);

function fromLists(client: QueryClient, reviewId: string): GetReviewResponse | undefined {
  const lists = client.getQueriesData<{ pages: ListReviewsResponse[] }>({ queryKey: LISTS });
  for (const [, data] of lists) {
    for (const page of data?.pages ?? []) {
      const review = page.reviews.find((one) => one.reviewId === reviewId);
      if (review) return { $typeName: 'reviews.v1.GetReviewResponse', review };
    }
  }
  return undefined;
}

/** What this document says of the review, if it is the document of that review. */
export function useReviewInDocument(reviewId: string | undefined): GetReviewResponse | undefined {
  const written = useWrittenReview();
  if (!written) return undefined;
  const answer = complete(getReview.answer, written) as GetReviewResponse;
  return answer.review?.reviewId === reviewId ? answer : undefined;
}

export function useReview(reviewId: string) {
  const client = useQueryClient();
  const transport = useTransport();
  const written = useReviewInDocument(reviewId);
  const answer = useQuery({
    queryKey: connectGetKey(REVIEWS, 'GetReview', { reviewId }),
    queryFn: ({ signal }) => readReview(reviewId, { transport, signal }),
    staleTime: 0,
    initialData: written,
    placeholderData: () => fromLists(client, reviewId),
  });
  useRefetchAtFocus(answer.refetch);
  const missing = answer.error ? describeError(answer.error).code === CODE.NotFound : false;
  return { ...answer, review: missing ? undefined : answer.data?.review, missing };
}
