/** One review. What a list knows of it already is shown until the answer is there. */
import { create } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { createConnectQueryKey, useQuery } from '@connectrpc/connect-query';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import {
  type GetReviewResponse,
  GetReviewResponseSchema,
  type ListReviewsResponse,
  ReviewsService,
} from '@/gen/reviews/v1/reviews_service_pb';
import { describeError } from '@/lib/errors';
import { useRefetchAtFocus } from './use-refetch-at-focus';

const LISTS = createConnectQueryKey({
  schema: ReviewsService.method.listReviews,
  cardinality: 'infinite',
});

function fromLists(client: QueryClient, reviewId: string): GetReviewResponse | undefined {
  const lists = client.getQueriesData<{ pages: ListReviewsResponse[] }>({ queryKey: LISTS });
  for (const [, data] of lists) {
    for (const page of data?.pages ?? []) {
      const review = page.reviews.find((one) => one.reviewId === reviewId);
      if (review) return create(GetReviewResponseSchema, { review });
    }
  }
  return undefined;
}

export function useReview(reviewId: string) {
  const client = useQueryClient();
  const answer = useQuery(
    ReviewsService.method.getReview,
    { reviewId },
    { staleTime: 0, placeholderData: () => fromLists(client, reviewId) },
  );
  useRefetchAtFocus(answer.refetch);
  const missing = answer.error ? describeError(answer.error).code === Code.NotFound : false;
  return { ...answer, review: missing ? undefined : answer.data?.review, missing };
}
