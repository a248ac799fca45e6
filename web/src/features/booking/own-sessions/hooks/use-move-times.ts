/** The times to which a session can be moved, by day, and which of them is chosen. */
import { createClient } from '@connectrpc/connect';
import { useCallback, useState } from 'react';
import { type Booking, BookingService } from '@/gen/booking/v1/booking_service_pb';
import { usePracticeZone } from '@/lib/practice';
import { localDate } from '@/lib/time';
import { type TimeMoves, useSchedule } from '../../shared/hooks/use-schedule';
import type { SlotsSource } from '../../shared/hooks/use-slots';
import { calledNumber, inOrder, startOf } from '../move';

const KEY = 'own-move';
const NONE: readonly string[] = [];

function sourceOf(booking: Booking, number: number): SlotsSource {
  const { bookingId } = booking;
  const sessionNumber = calledNumber(booking, number);
  return {
    key: (range) => [KEY, bookingId, number, range?.fromDate, range?.days],
    read: async ({ fromDate, days }, { transport, signal }) => {
      const client = createClient(BookingService, transport);
      const asked = { bookingId, sessionNumber, fromDate, days };
      const { slots } = await client.previewOwnMove(asked, { signal });
      if (!slots) throw new Error('The answer holds no starts.');
      return inOrder(slots, booking, number);
    },
  };
}

/** The calendar opens at the day on which the session is. */
export function useMoveTimes(booking: Booking, sessionNumber: number) {
  const { timeZone } = usePracticeZone();
  const [url, setUrl] = useState(() => {
    const from = startOf(booking, sessionNumber);
    return { date: from ? localDate(from, timeZone) : '', slot: '' };
  });
  const replace: TimeMoves['replace'] = useCallback((patch) => {
    setUrl((before) => ({ ...before, ...patch }));
  }, []);
  const { serviceId, practitionerId } = booking;
  const source = sourceOf(booking, sessionNumber);
  const moves = { url, replace };
  const schedule = useSchedule({ serviceId, practitionerId, moves, own: NONE, source });
  return { schedule, chosen: url.slot, choose: replace };
}
