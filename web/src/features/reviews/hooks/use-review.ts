/** One review. What a list knows of it already is shown until the answer is there. */
import { useTransport } from '@connectrpc/connect-query';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { GetReviewResponse, ListReviewsResponse } from '@/gen/reviews/v1/reviews_service_pb';
import { CODE } from '@/lib/codes';
import { describeError } from '@/lib/errors';
import { plainKey } from '@/lib/plain-read';
import { REVIEWS, readReview } from '../api/reads';
import { useRefetchAtFocus } from './use-refetch-at-focus';
import { LIST_PAGES } from './use-review-list';

const LISTS = plainKey(REVIEWS, LIST_PAGES);

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

export function useReview(reviewId: string) {
  const client = useQueryClient();
  const transport = useTransport();
  const answer = useQuery({
    queryKey: plainKey(REVIEWS, 'GetReview', { reviewId }),
    queryFn: ({ signal }) => readReview(reviewId, { transport, signal }),
    staleTime: 0,
    placeholderData: () => fromLists(client, reviewId),
  });
  useRefetchAtFocus(answer.refetch);
  const missing = answer.error ? describeError(answer.error).code === CODE.NotFound : false;
  return { ...answer, review: missing ? undefined : answer.data?.review, missing };
}
