/** The figures of the reviews, for pages that read no reviews: apart from the code that does. */
import { getStatistics } from '@/gen/reviews/v1/get_statistics_read';
import type { GetStatisticsResponse } from '@/gen/reviews/v1/reviews_service_pb';
import { connectGet } from '@/lib/connect-get';

export function plainStatistics(signal: AbortSignal): Promise<GetStatisticsResponse> {
  return connectGet(getStatistics, { signal });
}
