/** The starts of a week or a month, asked again when the page is looked at and every minute. */
import { useQuery } from '@connectrpc/connect-query';
import { skipToken } from '@tanstack/react-query';
import { BookingService } from '@/gen/booking/v1/booking_service_pb';

const FRESH_EVERY_MS = 60_000;

const ALIVE = {
  staleTime: 5_000,
  refetchInterval: FRESH_EVERY_MS,
  refetchOnWindowFocus: true,
} as const;

type Range = { serviceId: string; fromDate: string; days: number };

/** Nothing is asked while there is no range. An empty first date means the practice's today. */
export function useSlots(range: Range | undefined) {
  return useQuery(BookingService.method.listSlots, range ?? skipToken, ALIVE);
}
