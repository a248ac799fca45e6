import { useQuery } from '@connectrpc/connect-query';
import { ReviewsService } from '@/gen/reviews/v1/reviews_service_pb';
import { useRefetchAtFocus } from './use-refetch-at-focus';

/** How many reviews there are and how they rate, counted by the server. */
export function useStatistics() {
  const figures = useQuery(ReviewsService.method.getStatistics, {}, { staleTime: 0 });
  useRefetchAtFocus(figures.refetch);
  return figures;
}
