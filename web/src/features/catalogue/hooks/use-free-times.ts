/** The free starts of a week; reading them holds no time. */
import { useTransport } from '@connectrpc/connect-query';
import { useQuery } from '@tanstack/react-query';
import { connectGetKey } from '@/lib/connect-get';
import { BOOKING, readSlots } from '@/lib/read-slots';

export const DAYS_SHOWN = 7;

/** Other customers book too, so a list on an open page is read again. */
const REFRESH_MS = 5 * 60_000;

/** Whose times: of a service, with one practitioner or with anyone. */
export type Whose = { serviceId: string; practitionerId?: string };

/** `fromDate` is empty for the week that begins today. */
export function useFreeTimes(whose: Whose, fromDate: string) {
  const transport = useTransport();
  const input = { ...whose, fromDate, days: DAYS_SHOWN };
  return useQuery({
    queryKey: connectGetKey(BOOKING, 'ListSlots', input),
    queryFn: ({ signal }) => readSlots(input, { transport, signal }),
    refetchInterval: REFRESH_MS,
    refetchOnWindowFocus: true,
  });
}
