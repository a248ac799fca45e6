/** Closes times to clients and opens them again, each with its opposite as Undo; ends offers. */
import { toast } from '@/components/ui/toast-store';
import type { BlockedTime } from '@/gen/booking/v1/booking_staff_service_pb';
import { errorReason } from '@/lib/errors';
import { usePracticeZone } from '@/lib/practice';
import { localDate, toDate } from '@/lib/time';
import { type Closing, clockText } from '../model/closing';
import { useDeskNews } from './use-bookings';
import { useCommand } from './use-command';
import { CALL, useBookingStaff } from './use-desk-clients';
import { UNDO_MS } from './use-marking';

/** A closed time as it would be asked for again. */
function closingOf({ startsAt, endsAt, practitionerId }: BlockedTime, timeZone: string): Closing {
  const [from, to] = [startsAt, endsAt].map((at) => (at ? toDate(at) : new Date(0)));
  const date = localDate(from ?? new Date(0), timeZone);
  const until = to && localDate(to, timeZone) === date ? clockText(to, timeZone) : '';
  return {
    date,
    fromTime: clockText(from ?? new Date(0), timeZone),
    toTime: until,
    practitionerId,
  };
}

export function useClosing(onDone: () => void) {
  const staff = useBookingStaff();
  const { refresh } = useDeskNews();
  const { timeZone } = usePracticeZone();
  const finish = () => {
    onDone();
    void refresh();
  };
  const closing = useCommand(
    (asked: Closing) => ({
      name: `close/${asked.date}/${asked.practitionerId}`,
      parts: [asked.fromTime, asked.toTime],
      send: (idempotencyKey) => staff.blockTime({ ...asked, idempotencyKey }, CALL),
    }),
    ({ blockedTime }) => {
      finish();
      const undo = blockedTime && { label: 'Undo', onAction: () => opening.run(blockedTime) };
      toast({ title: 'Closed to clients', durationMs: UNDO_MS, ...(undo && { action: undo }) });
    },
    () => void refresh(),
  );
  const opening = useCommand(
    (block: BlockedTime) => ({
      name: `open/${block.blockId}`,
      parts: [],
      send: async () => {
        try {
          await staff.unblockTime({ blockId: block.blockId }, CALL);
        } catch (error) {
          // A call whose answer was lost has opened it already.
          if (errorReason(error) !== 'BLOCK_NOT_FOUND') throw error;
        }
      },
    }),
    (_, block) => {
      finish();
      // Its client may have taken it meanwhile, and it cannot be offered again by Undo.
      if (block.offeredUntilAt) {
        toast({ title: 'The offer is over' });
        return;
      }
      const undo = { label: 'Undo', onAction: () => closing.run(closingOf(block, timeZone)) };
      toast({ title: 'Open to clients again', durationMs: UNDO_MS, action: undo });
    },
    () => void refresh(),
  );
  return { closing, opening };
}
