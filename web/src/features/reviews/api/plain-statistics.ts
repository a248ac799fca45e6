/** The figures of the reviews, for pages that read no reviews: apart from the code that does. */
import type { GetStatisticsResponse } from '@/gen/reviews/v1/reviews_service_pb';
import { connectGet, type Shape } from '@/lib/connect-get';

/** The answer's zero values; review-shapes.test.ts holds them to the contract. */
export const STATISTICS_ANSWER: Shape<GetStatisticsResponse> = {
  count: 0n,
  verifiedCount: 0n,
  countsByRating: [0n],
  verifiedCountsByRating: [0n],
};

export function plainStatistics(signal: AbortSignal): Promise<GetStatisticsResponse> {
  const method = 'reviews.v1.ReviewsService/GetStatistics';
  return connectGet<GetStatisticsResponse>(method, STATISTICS_ANSWER, { signal });
}
