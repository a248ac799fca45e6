/** Asks the client of a session for another time, and takes that back: the session keeps its time. */
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { toast } from '@/components/ui/toast-store';
import { toInstant } from '@/lib/instant';
import type { SessionRow } from '../model/day';
import { clientName } from '../model/staff-booking';
import { useDeskNews } from './use-bookings';
import { useCommand } from './use-command';
import { CALL, useBookingStaff } from './use-desk-clients';

export type Asking = {
  reason: string;
  /** Its time is offered to others once the session has left it. */
  opensAgain: boolean;
};

type Row = Pick<SessionRow, 'booking' | 'number' | 'startsAt'>;

export function useAskingForTime({ booking, number, startsAt }: Row, onDone: () => void) {
  const staff = useBookingStaff();
  const { learn, refresh } = useDeskNews();
  const { bookingId, sessions } = booking;
  const sessionNumber = sessions.length > 1 ? number : 0;
  return useCommand(
    ({ reason, opensAgain }: Asking) => ({
      name: `ask-time/${bookingId}/${sessionNumber}`,
      parts: [toInstant(startsAt), reason, String(opensAgain)],
      send: (idempotencyKey) => {
        const shownStartsAt = timestampFromDate(startsAt);
        const asked = { bookingId, sessionNumber, shownStartsAt, reason, opensAgain };
        return staff.proposeMove({ ...asked, idempotencyKey }, CALL);
      },
    }),
    (answer) => {
      learn(answer.booking);
      toast({ title: `${clientName(booking)} is asked for another time` });
      onDone();
    },
    () => void refresh(),
  );
}

export function useWithdrawing({ booking }: Pick<Row, 'booking'>, onDone: () => void) {
  const staff = useBookingStaff();
  const { learn, refresh } = useDeskNews();
  const { bookingId } = booking;
  return useCommand(
    (proposedUntil: string) => ({
      name: `withdraw-proposal/${bookingId}`,
      parts: [proposedUntil],
      send: (idempotencyKey) => staff.withdrawMoveProposal({ bookingId, idempotencyKey }, CALL),
    }),
    (answer) => {
      learn(answer.booking);
      toast({ title: `${clientName(booking)}: the session keeps its time` });
      onDone();
    },
    () => void refresh(),
  );
}
