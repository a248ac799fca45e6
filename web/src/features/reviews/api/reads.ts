/** The public reads: plain, and by Connect where they fail (fetch-reviews.ts, loaded only then). */

import type {
  GetReviewResponse,
  GetStatisticsResponse,
  ListReviewsResponse,
} from '@/gen/reviews/v1/reviews_service_pb';
import { connectGet, connectGetOr } from '@/lib/connect-get';
import { importWithRetry } from '@/lib/import-with-retry';
import type { Call, ListInput } from './fetch-reviews';
import { plainStatistics } from './plain-statistics';
import { LIST_ANSWER, REVIEW_ANSWER } from './review-shapes';

export const REVIEWS = 'reviews.v1.ReviewsService';

export function readList(input: ListInput, call: Call): Promise<ListReviewsResponse> {
  const { signal } = call;
  const plain = connectGet<ListReviewsResponse>(`${REVIEWS}/ListReviews`, LIST_ANSWER, {
    input,
    signal,
  });
  return connectGetOr(
    plain,
    async () => (await importWithRetry(() => import('./fetch-reviews'))).list(input, call),
    signal,
  );
}

export function readReview(reviewId: string, call: Call): Promise<GetReviewResponse> {
  const { signal } = call;
  const plain = connectGet<GetReviewResponse>(`${REVIEWS}/GetReview`, REVIEW_ANSWER, {
    input: { reviewId },
    signal,
  });
  return connectGetOr(
    plain,
    async () => (await importWithRetry(() => import('./fetch-reviews'))).one(reviewId, call),
    signal,
  );
}

export function readStatistics(call: Call): Promise<GetStatisticsResponse> {
  const { signal } = call;
  return connectGetOr(
    plainStatistics(signal),
    async () => (await importWithRetry(() => import('./fetch-reviews'))).statistics(call),
    signal,
  );
}
