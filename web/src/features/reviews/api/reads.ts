/** The public reads: plain, and by Connect where they fail (ask-reviews.ts, loaded only then). */

import type { Transport } from '@connectrpc/connect';
import type {
  GetReviewResponse,
  GetStatisticsResponse,
  ListReviewsResponse,
} from '@/gen/reviews/v1/reviews_service_pb';
import { importAgain } from '@/lib/import-again';
import { plainRead, plainReadOr } from '@/lib/plain-read';
import { plainStatistics } from './plain-statistics';
import { LIST_ANSWER, REVIEW_ANSWER } from './review-shapes';

export const REVIEWS = 'reviews.v1.ReviewsService';

export type Call = { transport: Transport; signal: AbortSignal };

/** As JSON names them. */
export type ListInput = {
  filter?: 'REVIEW_FILTER_UNSPECIFIED' | 'REVIEW_FILTER_VERIFIED' | 'REVIEW_FILTER_RECENT';
  pageSize: number;
  pageToken?: string;
};

export function readList(input: ListInput, call: Call): Promise<ListReviewsResponse> {
  const { signal } = call;
  const plain = plainRead<ListReviewsResponse>(`${REVIEWS}/ListReviews`, LIST_ANSWER, {
    input,
    signal,
  });
  return plainReadOr(
    plain,
    async () => (await importAgain(() => import('./ask-reviews'))).list(input, call),
    signal,
  );
}

export function readReview(reviewId: string, call: Call): Promise<GetReviewResponse> {
  const { signal } = call;
  const plain = plainRead<GetReviewResponse>(`${REVIEWS}/GetReview`, REVIEW_ANSWER, {
    input: { reviewId },
    signal,
  });
  return plainReadOr(
    plain,
    async () => (await importAgain(() => import('./ask-reviews'))).one(reviewId, call),
    signal,
  );
}

export function readStatistics(call: Call): Promise<GetStatisticsResponse> {
  const { signal } = call;
  return plainReadOr(
    plainStatistics(signal),
    async () => (await importAgain(() => import('./ask-reviews'))).statistics(call),
    signal,
  );
}
