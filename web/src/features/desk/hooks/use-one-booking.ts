/** One booking by its id, with what has happened to it for those who may read that. */
import { useQuery } from '@tanstack/react-query';
import { bookingReference } from '@/lib/reference';
import { useMember } from '../member';
import { isManager } from '../model/acts';
import { DESK, LIVE } from './desk-keys';
import { useBookingStaff } from './use-desk-clients';
import { useMailsStaff, usePaymentsStaff } from './use-staff-services';

/** Null where there is none that this member may see. */
export function useOneBooking(bookingId: string) {
  const { userId } = useMember();
  const staff = useBookingStaff();
  return useQuery({
    ...LIVE,
    queryKey: [DESK, userId, 'booking', bookingId],
    queryFn: async ({ signal }) => {
      const reference = bookingReference(bookingId);
      const { bookings } = await staff.findBookings({ reference }, { signal });
      return bookings.find(({ booking }) => booking?.bookingId === bookingId) ?? null;
    },
  });
}

/** Each part is read by itself: one that fails leaves the others. */
export function useBookingRecord(bookingId: string) {
  const { userId, role } = useMember();
  const staff = useBookingStaff();
  const payments = usePaymentsStaff();
  const mails = useMailsStaff();
  const enabled = isManager(role);
  const key = (part: string) => [DESK, userId, part, bookingId];
  return {
    history: useQuery({
      ...LIVE,
      enabled,
      queryKey: key('history'),
      queryFn: ({ signal }) => staff.getBookingHistory({ bookingId }, { signal }),
    }),
    money: useQuery({
      ...LIVE,
      enabled,
      queryKey: key('money'),
      queryFn: ({ signal }) => payments.getPaymentHistory({ bookingId }, { signal }),
    }),
    mails: useQuery({
      ...LIVE,
      enabled,
      queryKey: key('mails'),
      queryFn: async ({ signal }) => (await mails.listMails({ bookingId }, { signal })).mails,
    }),
  };
}
