/** One booking by its id, with what has happened to it for those who may read that. */
import { useQuery } from '@tanstack/react-query';
import type { Member } from '@/gen/booking/v1/organisation_service_pb';
import { bookingReference } from '@/lib/reference';
import { useMember } from '../member';
import { isManager } from '../model/acts';
import { DESK, LESS_LIVE, LIVE } from './desk-keys';
import { useBookingStaff } from './use-desk-clients';
import { useMailsStaff, useOrganisationStaff, usePaymentsStaff } from './use-staff-services';

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

/** What the history calls the members of the practice; one that has left by the id. */
function memberNames(members: readonly Member[]): (userId: string) => string {
  return (userId) => {
    const member = members.find((one) => one.userId === userId);
    if (member?.isCaller) return 'you';
    return member?.practitionerName || member?.email || `a former member (${userId})`;
  };
}

/** The members' names, asked for once there is something that a member has said. */
export function useMemberNames(enabled: boolean): (userId: string) => string {
  const { userId } = useMember();
  const organisation = useOrganisationStaff();
  const { data = [], isSuccess } = useQuery({
    ...LESS_LIVE,
    enabled,
    queryKey: [DESK, userId, 'members'],
    queryFn: async ({ signal }) => (await organisation.listMembers({}, { signal })).members,
  });
  return isSuccess ? memberNames(data) : () => 'a member';
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
