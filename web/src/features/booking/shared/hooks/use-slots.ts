/** The starts of a week or a month, read again when the window gets the focus and every minute. */
import { useTransport } from '@connectrpc/connect-query';
import { type QueryKey, skipToken, useQuery } from '@tanstack/react-query';
import { connectGetKey } from '@/lib/connect-get';
import type { SlotsInput } from '@/lib/fetch-slots';
import { BOOKING, readSlots } from '@/lib/read-slots';

const FRESH_EVERY_MS = 60_000;

const ALIVE = {
  staleTime: 5_000,
  refetchInterval: FRESH_EVERY_MS,
  refetchOnWindowFocus: true,
} as const;

/** Where starts are read, and under which key they are kept. */
export type SlotsSource = {
  key: (range: SlotsInput | undefined) => QueryKey;
  read: typeof readSlots;
};

/** What is on offer for anyone: signed-in customers read it by plain GET as well. */
const OFFERED: SlotsSource = {
  key: (range) => connectGetKey(BOOKING, 'ListSlots', range),
  read: readSlots,
};

/** Nothing is asked while there is no range. An empty first date means the practice's today. */
export function useSlots(range: SlotsInput | undefined, source: SlotsSource = OFFERED) {
  const transport = useTransport();
  return useQuery({
    queryKey: source.key(range),
    queryFn: range ? ({ signal }) => source.read(range, { transport, signal }) : skipToken,
    ...ALIVE,
  });
}
