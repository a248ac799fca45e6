/** Reviews as pages, asked again whenever the list is opened or looked at. */
import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query';
import { type Review, ReviewFilter, ReviewsService } from '@/gen/reviews/v1/reviews_service_pb';
import type { FilterName } from '../filter-url';
import { useRefetchAtFocus } from './use-refetch-at-focus';

const PAGE_SIZE = 12;

const FILTERS: Record<FilterName, ReviewFilter> = {
  all: ReviewFilter.UNSPECIFIED,
  verified: ReviewFilter.VERIFIED,
  recent: ReviewFilter.RECENT,
};

export function useReviewList(filter: FilterName) {
  const list = useInfiniteQuery(
    ReviewsService.method.listReviews,
    { filter: FILTERS[filter], pageSize: PAGE_SIZE, pageToken: '' },
    {
      pageParamKey: 'pageToken',
      getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
      // A review that was deleted is gone with the next look.
      staleTime: 0,
    },
  );
  useRefetchAtFocus(list.refetch);
  return { ...list, reviews: distinct(list.data?.pages.flatMap((page) => page.reviews)) };
}

/** A review that moved from one page to the next between two answers is shown once. */
function distinct(reviews: Review[] | undefined): Review[] | undefined {
  return reviews && [...new Map(reviews.map((one) => [one.reviewId, one])).values()];
}

const NEWEST_MAX = 6;

/** The newest reviews, for a page that shows a few of them. */
export function useNewestReviews(count: number = NEWEST_MAX) {
  const newest = useQuery(
    ReviewsService.method.listReviews,
    { pageSize: Math.min(count, NEWEST_MAX) },
    { staleTime: 0 },
  );
  useRefetchAtFocus(newest.refetch);
  return newest;
}
