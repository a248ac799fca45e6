/** Reviews as staff sees them, page by page. Nothing of them outlives the panel. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { ImageFilter, type StaffReview } from '@/gen/reviews/v1/reviews_staff_service_pb';
import type { Grant } from './use-grant';

const PAGE_SIZE = 20;

export type Filters = { query: string; service: string; rating: number; image: ImageFilter };

export const NO_FILTERS: Filters = {
  query: '',
  service: '',
  rating: 0,
  image: ImageFilter.UNSPECIFIED,
};

export function isFiltered({ query, service, rating, image }: Filters): boolean {
  return query !== '' || service !== '' || rating !== 0 || image !== ImageFilter.UNSPECIFIED;
}

export type StaffReviews = {
  /** Undefined until the first answer. */
  reviews: StaffReview[] | undefined;
  error: unknown;
  /** What is shown belongs to the filters of before. */
  stale: boolean;
  hasMore: boolean;
  loadingMore: boolean;
  /** Resolves to the reviews of the page that was added; to none when that failed. */
  loadMore: () => Promise<StaffReview[]>;
  refetch: () => void;
};

export function useStaffReviews(grant: Grant, filters: Filters): StaffReviews {
  const { call } = grant;
  const query = useInfiniteQuery({
    queryKey: ['moderation', filters],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const request = { ...filters, pageSize: PAGE_SIZE, pageToken: pageParam };
      return call((client) => client.listStaffReviews(request, { signal }));
    },
    getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
    placeholderData: keepPreviousData,
    // Each read counts as use of the grant, so there are no reads in the background.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
    gcTime: 0,
  });
  const { fetchNextPage } = query;
  const loadMore = useCallback(async () => {
    const { data, isError } = await fetchNextPage();
    return isError ? [] : (data?.pages.at(-1)?.reviews ?? []);
  }, [fetchNextPage]);
  return {
    reviews: query.data?.pages.flatMap((page) => page.reviews),
    error: query.error,
    stale: query.isPlaceholderData,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    loadMore,
    refetch: () => void query.refetch(),
  };
}
