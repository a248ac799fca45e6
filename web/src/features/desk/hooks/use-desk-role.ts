/** What the signed-in account is in the practice. It draws the desk; the server decides. */
import { useQuery } from '@tanstack/react-query';
import { DESK } from './desk-keys';
import { useBookingStaff } from './use-desk-clients';

const LOOK_EVERY_MS = 60_000;

export function useDeskRole(userId: string) {
  const staff = useBookingStaff();
  return useQuery({
    queryKey: [DESK, userId, 'role'],
    staleTime: 0,
    refetchInterval: LOOK_EVERY_MS,
    queryFn: async ({ signal }) => (await staff.getOwnRole({}, { signal })).role,
  });
}
