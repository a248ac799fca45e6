/** Moves a session, and back again as Undo: one more move, under a key of its own. */
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { toast } from '@/components/ui/toast-store';
import type { MoveBookingResponse, MovedBy } from '@/gen/booking/v1/booking_staff_service_pb';
import { describeError } from '@/lib/errors';
import { freeDays } from '@/lib/free-days';
import { toInstant } from '@/lib/instant';
import { usePracticeZone } from '@/lib/practice';
import { type Command, NotSure, sendSurely } from '../command';
import { useMember } from '../member';
import type { SessionRow } from '../model/day';
import { moveRefusalWords } from '../model/move-words';
import { clientName } from '../model/staff-booking';
import { timeWords } from '../model/time-words';
import { DESK } from './desk-keys';
import { useDeskNews } from './use-bookings';
import { useCommand } from './use-command';
import { CALL, useBookingStaff } from './use-desk-clients';
import { UNDO_MS } from './use-marking';
import { SLOT_DAYS } from './use-slots';

export type Move = {
  from: Date;
  to: Date;
  movedBy: MovedBy;
  /** Another practitioner from then on; empty where that stays. */
  practitionerId: string;
  /** For the practice alone; empty where none is needed. */
  reason: string;
};

const UNDO_REASON = 'Moved back at once.';

type Row = Pick<SessionRow, 'booking' | 'number'>;

/** The number by which calls name the session: the one of a single booking has none. */
function named({ booking: { bookingId, sessions }, number }: Row) {
  return { bookingId, sessionNumber: sessions.length > 1 ? number : 0 };
}

/** An empty practitioner is the one who has the session. */
type Asked = { fromDate: string; practitionerId: string };

/** The booking as it is, and the free starts of a practitioner in two weeks from a date on. */
export function useMoveTimes(row: Row, { fromDate, practitionerId }: Asked) {
  const { userId } = useMember();
  const staff = useBookingStaff();
  const { bookingId, sessionNumber } = named(row);
  return useQuery({
    queryKey: [DESK, userId, 'move', bookingId, sessionNumber, practitionerId, fromDate],
    staleTime: 0,
    gcTime: 0,
    // What is known of the booking stays while other days are read.
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const asked = { bookingId, sessionNumber, fromDate, days: SLOT_DAYS, practitionerId };
      const { booking, slots } = await staff.previewMove(asked, { signal });
      const days = slots ? freeDays(slots).filter(({ count }) => count > 0) : [];
      return { booking: booking?.booking, days };
    },
  });
}

/** Why it was not moved back, in a toast: its dialog is gone by then. */
function sayNotUndone(cause: unknown): void {
  const variant = 'destructive' as const;
  if (cause instanceof NotSure) {
    const description = 'No answer came. Look at the session before you move it again.';
    toast({ variant, title: 'Not sure whether it was moved back', description });
    return;
  }
  const { reason, title } = describeError(cause);
  const description = `${moveRefusalWords(reason)?.title ?? title}.`;
  toast({ variant, title: 'It was not moved back', description });
}

type Ends = {
  onDone: () => void;
  /** It was moved back, or was not: what is on the screen is read again. */
  onUndo: () => void;
};

export function useMoving(row: Row, { onDone, onUndo }: Ends) {
  const staff = useBookingStaff();
  const zone = usePracticeZone();
  const { learn, refresh } = useDeskNews();
  const name = clientName(row.booking);
  const { bookingId, sessionNumber } = named(row);

  function commandOf({
    from,
    to,
    movedBy,
    practitionerId,
    reason,
  }: Move): Command<MoveBookingResponse> {
    const shownStartsAt = timestampFromDate(from);
    const asked = { bookingId, sessionNumber, shownStartsAt, movedBy, practitionerId, reason };
    return {
      name: `move/${bookingId}/${sessionNumber}`,
      parts: [toInstant(from), toInstant(to), String(movedBy), practitionerId, reason],
      send: (idempotencyKey) => {
        const startsAt = timestampFromDate(to);
        return staff.moveBooking({ ...asked, startsAt, idempotencyKey }, CALL);
      },
    };
  }

  async function undo({ from, to, movedBy, practitionerId, reason }: Move): Promise<void> {
    const back = {
      ...{ from: to, to: from, movedBy },
      practitionerId: practitionerId && row.booking.practitionerId,
      reason: reason && UNDO_REASON,
    };
    try {
      const { booking } = await sendSurely(commandOf(back));
      learn(booking);
      toast({ title: `${name}: back at ${timeWords(from, zone)}` });
    } catch (cause) {
      sayNotUndone(cause);
    }
    onUndo();
  }

  return useCommand(
    commandOf,
    ({ booking }, move) => {
      learn(booking);
      onDone();
      toast({
        title: `${name}: moved to ${timeWords(move.to, zone)}`,
        durationMs: UNDO_MS,
        action: { label: 'Undo', onAction: () => void undo(move) },
      });
    },
    () => void refresh(),
  );
}
