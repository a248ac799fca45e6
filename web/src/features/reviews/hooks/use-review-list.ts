/** Reviews in pages, read again whenever the list is opened or the window gets the focus. */
import { useTransport } from '@connectrpc/connect-query';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Review } from '@/gen/reviews/v1/reviews_service_pb';
import { connectGetKey } from '@/lib/connect-get';
import type { ListInput } from '../api/fetch-reviews';
import { REVIEWS, readList } from '../api/reads';
import type { FilterName } from '../filter-url';
import { useRefetchAtFocus } from './use-refetch-at-focus';

const PAGE_SIZE = 12;

/** Lists as pages have another form in the cache than a single answer. */
export const LIST_PAGES = 'ListReviews/pages';

const FILTERS: Record<FilterName, NonNullable<ListInput['filter']>> = {
  all: 'REVIEW_FILTER_UNSPECIFIED',
  verified: 'REVIEW_FILTER_VERIFIED',
  recent: 'REVIEW_FILTER_RECENT',
};

export function useReviewList(filter: FilterName) {
  const transport = useTransport();
  const input = { filter: FILTERS[filter], pageSize: PAGE_SIZE };
  const list = useInfiniteQuery({
    queryKey: connectGetKey(REVIEWS, LIST_PAGES, input),
    queryFn: ({ pageParam, signal }) =>
      readList({ ...input, pageToken: pageParam }, { transport, signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
    // A review that was deleted is gone with the next look.
    staleTime: 0,
  });
  useRefetchAtFocus(list.refetch);
  return { ...list, reviews: distinct(list.data?.pages.flatMap((page) => page.reviews)) };
}

/** A review that moved from one page to the next between two answers is shown once. */
function distinct(reviews: Review[] | undefined): Review[] | undefined {
  return reviews && [...new Map(reviews.map((one) => [one.reviewId, one])).values()];
}

const NEWEST_MAX = 6;

/** The newest verified reviews, for a page that shows a few of them. */
export function useNewestReviews(count: number = NEWEST_MAX) {
  const transport = useTransport();
  const input = { filter: FILTERS.verified, pageSize: Math.min(count, NEWEST_MAX) };
  const newest = useQuery({
    queryKey: connectGetKey(REVIEWS, 'ListReviews', input),
    queryFn: ({ signal }) => readList(input, { transport, signal }),
    staleTime: 0,
  });
  useRefetchAtFocus(newest.refetch);
  return newest;
}
