/** The times that the practice suggests for a session it can't hold; they are not kept for anyone. */
import { type QueryKey, useQuery } from '@tanstack/react-query';
import type { Booking, ListSlotsResponse } from '@/gen/booking/v1/booking_service_pb';
import { serverNow } from '@/lib/clock';
import { toInstant } from '@/lib/instant';
import { usePracticeZone } from '@/lib/practice';
import { localDate, toDate } from '@/lib/time';
import { startsOf } from '../../shared/slots';
import { calledNumber } from '../move';
import { useSessionPort } from '../session-port';

/** Someone else may take one at any time. */
const READ_AGAIN_MS = 60_000;

type Asked = {
  booking: Booking;
  /** From 1. */
  number: number;
  /** A time that a mail offered. */
  preset: Date | undefined;
};

function isFree(slots: ListSlotsResponse | undefined, at: Date): boolean {
  const starts = slots?.days.flatMap(startsOf) ?? [];
  return starts.some(({ instant, available }) => available && instant === toInstant(at));
}

export function useSuggestedTimes({ booking, number, preset }: Asked) {
  const port = useSessionPort();
  const { timeZone } = usePracticeZone();
  const sessionNumber = calledNumber(booking, number);
  const asked = preset && preset.getTime() > serverNow() ? preset : undefined;
  const fromDate = asked ? localDate(asked, timeZone) : '';
  const queryKey: QueryKey = ['suggested-times', booking.bookingId, number, fromDate];
  const { data, error, refetch, isFetching } = useQuery({
    queryKey,
    staleTime: 5_000,
    refetchInterval: READ_AGAIN_MS,
    refetchOnWindowFocus: true,
    queryFn: async ({ signal }) => {
      const range = { sessionNumber, fromDate, days: 1 };
      const { move } = await port.previewMove(booking, range, signal);
      const times = move.suggestedStartsAt.map(toDate);
      const isNamed = times.some((at) => asked && toInstant(at) === toInstant(asked));
      return {
        times,
        presetIsFree: asked !== undefined && (isNamed || isFree(move.slots, asked)),
      };
    },
  });
  return {
    /** Nothing until they are known. */
    times: data?.times,
    /** Whether the time of the mail can still be had; nothing until it is known. */
    presetIsFree: data?.presetIsFree,
    error,
    isFetching,
    refetch: () => void refetch(),
  };
}
