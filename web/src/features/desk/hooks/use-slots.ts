/** The starts that clients are offered, for a service and a practitioner. */
import { useTransport } from '@connectrpc/connect-query';
import { useQuery } from '@tanstack/react-query';
import { freeDays } from '@/lib/free-days';
import { readSlots } from '@/lib/read-slots';
import { useMember } from '../member';
import { DESK } from './desk-keys';

export const SLOT_DAYS = 14;

type Asked = { serviceId: string; practitionerId: string; fromDate: string };

export function useSlots(asked: Asked) {
  const { userId } = useMember();
  const transport = useTransport();
  return useQuery({
    queryKey: [DESK, userId, 'slots', ...Object.values(asked)],
    enabled: asked.serviceId !== '',
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const answer = await readSlots({ ...asked, days: SLOT_DAYS }, { transport, signal });
      return freeDays(answer).filter(({ count }) => count > 0);
    },
  });
}
