/** The starts of a week or a month, read again when the window gets the focus and every minute. */
import { useTransport } from '@connectrpc/connect-query';
import { skipToken, useQuery } from '@tanstack/react-query';
import { connectGetKey } from '@/lib/connect-get';
import type { SlotsInput } from '@/lib/fetch-slots';
import { BOOKING, readSlots } from '@/lib/read-slots';

const FRESH_EVERY_MS = 60_000;

const ALIVE = {
  staleTime: 5_000,
  refetchInterval: FRESH_EVERY_MS,
  refetchOnWindowFocus: true,
} as const;

/** Nothing is asked while there is no range. An empty first date means the practice's today. */
export function useSlots(range: SlotsInput | undefined) {
  const transport = useTransport();
  return useQuery({
    queryKey: connectGetKey(BOOKING, 'ListSlots', range),
    // Free times do not depend on who asks, so signed-in customers read them by plain GET as well.
    queryFn: range ? ({ signal }) => readSlots(range, { transport, signal }) : skipToken,
    ...ALIVE,
  });
}
