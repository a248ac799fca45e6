/** Bookings and closed times of some days, read again while they are looked at. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { ListBookingsResponse, StaffBooking } from '@/gen/booking/v1/booking_staff_service_pb';
import { useMember } from '../member';
import { DESK, type LESS_LIVE, LIVE } from './desk-keys';
import { useBookingStaff } from './use-desk-clients';

/** Some local days; an empty first date means today by the practice's clock. */
export type Days = { fromDate: string; days: number };

export function useBookings(
  { fromDate, days }: Days,
  again: typeof LIVE | typeof LESS_LIVE = LIVE,
) {
  const { userId } = useMember();
  const staff = useBookingStaff();
  return useQuery({
    ...again,
    queryKey: [DESK, userId, 'bookings', fromDate, days],
    queryFn: ({ signal }) => staff.listBookings({ fromDate, days }, { signal }),
  });
}

export function useBlockedTimes({ fromDate, days }: Days) {
  const { userId } = useMember();
  const staff = useBookingStaff();
  return useQuery({
    ...LIVE,
    queryKey: [DESK, userId, 'blocked', fromDate, days],
    queryFn: async ({ signal }) =>
      (await staff.listBlockedTimes({ fromDate, days }, { signal })).blockedTimes,
  });
}

/** The later of two readings of one booking. Marks change no version, so of two alike the answer counts. */
function newer(known: StaffBooking, read: StaffBooking): StaffBooking {
  if (known.booking?.bookingId !== read.booking?.bookingId) return known;
  return (known.booking?.version ?? 0n) > (read.booking?.version ?? 0n) ? known : read;
}

function learn(queries: QueryClient, userId: string, read: StaffBooking): void {
  queries.setQueriesData<ListBookingsResponse>(
    { queryKey: [DESK, userId, 'bookings'] },
    (data) => data && { ...data, bookings: data.bookings.map((one) => newer(one, read)) },
  );
}

export type DeskNews = {
  /** Takes a booking that a command has answered with, and reads the rest again. */
  learn: (booking: StaffBooking | undefined) => void;
  /** Reads all that is on the screen again. */
  refresh: () => Promise<void>;
};

export function useDeskNews(): DeskNews {
  const { userId } = useMember();
  const queries = useQueryClient();
  const refresh = useCallback(
    () => queries.invalidateQueries({ queryKey: [DESK, userId] }),
    [queries, userId],
  );
  return {
    refresh,
    learn: useCallback(
      (booking) => {
        if (booking) learn(queries, userId, booking);
        void refresh();
      },
      [queries, userId, refresh],
    ),
  };
}
