/** Marks whether a client came, at once and with Undo: the opposite command under its own key. */
import { toast } from '@/components/ui/toast-store';
import type { Attendance, StaffBooking } from '@/gen/booking/v1/booking_staff_service_pb';
import type { SessionRow } from '../model/day';
import { clientName, markOf, markWord } from '../model/staff-booking';
import { useDeskNews } from './use-bookings';
import { useCommand } from './use-command';
import { CALL, useBookingStaff } from './use-desk-clients';

export const UNDO_MS = 10_000;

export type Marked = Pick<SessionRow, 'staff' | 'booking' | 'number'>;
type Mark = { row: Marked; attendance: Attendance; undoes?: boolean };

function words({ row, attendance }: Mark): string {
  const name = row.booking.contact?.firstName || clientName(row.booking);
  const word = markWord(attendance);
  return word ? `${name}: ${word.toLowerCase()}` : `${name}: not marked any more`;
}

export function useMarking(onDone?: (booking: StaffBooking | undefined) => void) {
  const staff = useBookingStaff();
  const { learn, refresh } = useDeskNews();
  const marking = useCommand(
    ({ row: { booking, number }, attendance }: Mark) => ({
      name: `mark/${booking.bookingId}/${number}`,
      parts: [String(attendance)],
      send: (idempotencyKey) => {
        const { bookingId } = booking;
        const asked = { bookingId, sessionNumber: number, attendance, idempotencyKey };
        return staff.markAttendance(asked, CALL);
      },
    }),
    (answer, mark) => {
      onDone?.(answer.booking);
      learn(answer.booking);
      const before = markOf(mark.row.staff, mark.row.number);
      const undo = () => marking.run({ row: mark.row, attendance: before, undoes: true });
      const action = mark.undoes ? {} : { action: { label: 'Undo', onAction: undo } };
      toast({ title: words(mark), durationMs: UNDO_MS, ...action });
    },
    () => void refresh(),
  );
  return marking;
}
