/** The public reads: plain, and by Connect where they fail (fetch-reviews.ts, loaded only then). */

import { getReview } from '@/gen/reviews/v1/get_review_read';
import { listReviews } from '@/gen/reviews/v1/list_reviews_read';
import type {
  GetReviewResponse,
  GetStatisticsResponse,
  ListReviewsResponse,
} from '@/gen/reviews/v1/reviews_service_pb';
import { connectGet, connectGetOr } from '@/lib/connect-get';
import { importWithRetry } from '@/lib/import-with-retry';
import type { Call, ListInput } from './fetch-reviews';
import { plainStatistics } from './plain-statistics';

export const REVIEWS = 'reviews.v1.ReviewsService';

export function readList(input: ListInput, call: Call): Promise<ListReviewsResponse> {
  const { signal } = call;
  return connectGetOr(
    connectGet(listReviews, { input, signal }),
    async () => (await importWithRetry(() => import('./fetch-reviews'))).list(input, call),
    signal,
  );
}

export function readReview(reviewId: string, call: Call): Promise<GetReviewResponse> {
  const { signal } = call;
  return connectGetOr(
    connectGet(getReview, { input: { reviewId }, signal }),
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
