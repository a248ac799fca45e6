/** A client's own bookings in pages, read again at each look and by the clock. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import {
  type InfiniteData,
  type Query,
  type QueryClient,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback } from 'react';
import {
  type Booking,
  BookingService,
  type ListOwnBookingsResponse,
  type OwnBookingsPart,
} from '@/gen/booking/v1/booking_service_pb';
import { newer } from '../../shared/booking-state';
import { bookingKey } from '../../shared/hooks/use-booking';
import { readAgainIn } from '../own-booking';

type Pages = InfiniteData<ListOwnBookingsResponse, unknown>;

type ReadPages = Query<
  ListOwnBookingsResponse,
  Error,
  InfiniteData<ListOwnBookingsResponse, string>
>;

const KEY = 'own-bookings';

/** A booking that went from one page to the next between two answers is listed once. */
function listed(data: Pages | undefined): Booking[] | undefined {
  const all = data?.pages.flatMap(({ bookings }) => bookings);
  return all && [...new Map(all.map((one) => [one.bookingId, one])).values()];
}

export function useOwnBookings(part: OwnBookingsPart, userId: string) {
  const transport = useTransport();
  const query = useInfiniteQuery({
    queryKey: [KEY, userId, part],
    staleTime: 0,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const client = createClient(BookingService, transport);
      return client.listOwnBookings({ part, pageToken: pageParam }, { signal });
    },
    getNextPageParam: ({ nextPageToken }: ListOwnBookingsResponse) => nextPageToken || undefined,
    // All pages are read again, so that several are read more seldom.
    refetchInterval: ({ state: { data } }: ReadPages) =>
      readAgainIn(listed(data) ?? []) * Math.max(1, data?.pages.length ?? 1),
  });
  return { ...query, bookings: listed(query.data) };
}

export type OwnBookings = ReturnType<typeof useOwnBookings>;

function learn(queries: QueryClient, userId: string, booking: Booking): void {
  queries.setQueryData<Booking>(bookingKey(userId, booking.bookingId), (known) =>
    newer(known, booking),
  );
  queries.setQueriesData<Pages>({ queryKey: [KEY, userId] }, (data) => {
    const pages = data?.pages.map((page) => {
      const bookings = page.bookings.map((one) =>
        one.bookingId === booking.bookingId ? newer(one, booking) : one,
      );
      return { ...page, bookings };
    });
    return data && pages && { ...data, pages };
  });
}

export type OwnNews = {
  /** Takes a booking that a command has answered with. */
  learn: (booking: Booking) => void;
  /** Reads one again, and the lists. */
  refresh: (bookingId: string) => void;
};

/** Brings what a command has changed to everything that shows it. */
export function useOwnNews(userId: string): OwnNews {
  const queries = useQueryClient();
  const refreshLists = useCallback(
    () => void queries.invalidateQueries({ queryKey: [KEY, userId] }),
    [queries, userId],
  );
  return {
    learn: useCallback(
      (booking) => {
        learn(queries, userId, booking);
        refreshLists();
      },
      [queries, userId, refreshLists],
    ),
    refresh: useCallback(
      (bookingId) => {
        void queries.invalidateQueries({ queryKey: bookingKey(userId, bookingId) });
        refreshLists();
      },
      [queries, userId, refreshLists],
    ),
  };
}
