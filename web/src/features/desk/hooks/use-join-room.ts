/** The room of a session that is about to begin. */
import { type Query, useQuery } from '@tanstack/react-query';
import { useMember } from '../member';
import { DESK } from './desk-keys';
import { useBookingStaff } from './use-desk-clients';

/** A room that is not there yet is asked for soon again. */
const AGAIN_MS = 5_000;

/** Its address; empty until it is there. */
export function useJoinRoom(bookingId: string): string {
  const { userId } = useMember();
  const staff = useBookingStaff();
  const { data } = useQuery({
    queryKey: [DESK, userId, 'room', bookingId],
    staleTime: 0,
    refetchInterval: ({ state: { data, error } }: Query<string>) =>
      data || error ? false : AGAIN_MS,
    queryFn: async ({ signal }) => (await staff.getJoinPage({ bookingId }, { signal })).joinUrl,
  });
  return data ?? '';
}
