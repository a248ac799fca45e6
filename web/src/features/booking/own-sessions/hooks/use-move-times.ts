/** The times to which a session can be moved, by day, and which of them is chosen. */
import { useCallback, useState } from 'react';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { usePracticeZone } from '@/lib/practice';
import { localDate } from '@/lib/time';
import { type TimeMoves, useSchedule } from '../../shared/hooks/use-schedule';
import type { SlotsSource } from '../../shared/hooks/use-slots';
import { calledNumber, inOrder, startOf } from '../move';
import { isAskedToMove } from '../proposal';
import { type SessionPort, useSessionPort } from '../session-port';

const KEY = 'own-move';
const NONE: readonly string[] = [];

type Asked = {
  booking: Booking;
  number: number;
  port: SessionPort;
  onCodeNeeded: (needed: boolean) => void;
};

function sourceOf({ booking, number, port, onCodeNeeded }: Asked): SlotsSource {
  const { bookingId } = booking;
  const sessionNumber = calledNumber(booking, number);
  return {
    key: (range) => [KEY, bookingId, number, range?.fromDate, range?.days],
    read: async ({ fromDate, days }, { signal }) => {
      const range = { sessionNumber, fromDate: fromDate ?? '', days: days ?? 0 };
      const { move, codeNeeded } = await port.previewMove(booking, range, signal);
      if (!move.slots) throw new Error('The answer holds no starts.');
      onCodeNeeded(codeNeeded);
      return inOrder(move.slots, booking, number);
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
  const port = useSessionPort();
  // Until it is known: where there are codes at all, a move needs one, but for one that we ask for.
  const [codeNeeded, onCodeNeeded] = useState(
    port.requestCode !== undefined && !isAskedToMove(booking, sessionNumber),
  );
  const source = sourceOf({ booking, number: sessionNumber, port, onCodeNeeded });
  const moves = { url, replace };
  const schedule = useSchedule({ serviceId, practitionerId, moves, own: NONE, source });
  return { schedule, codeNeeded, chosen: url.slot, choose: replace };
}
