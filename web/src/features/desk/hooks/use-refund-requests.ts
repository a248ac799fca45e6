/** What clients ask back of a booking, for owners and admins, and the one answer to each. */
import { useQuery } from '@tanstack/react-query';
import { toast } from '@/components/ui/toast-store';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { RefundRequest } from '@/gen/payments/v1/refund_request_service_pb';
import { useMember } from '../member';
import { grantedWords } from '../model/refund-requests';
import { clientName } from '../model/staff-booking';
import { DESK, LESS_LIVE } from './desk-keys';
import { useCommand } from './use-command';
import { useReadAgain } from './use-open-refunds';
import { useRefundRequestStaff } from './use-staff-services';

/** Also those that were answered. */
export function useRefundRequests(bookingId: string) {
  const { userId } = useMember();
  const staff = useRefundRequestStaff();
  const { data, error, dataUpdatedAt, refetch } = useQuery({
    ...LESS_LIVE,
    queryKey: [DESK, userId, 'refund-requests'],
    queryFn: async ({ signal }) =>
      (await staff.listRefundRequests({ includeAnswered: true }, { signal })).requests,
  });
  const requests = data?.filter((request) => request.bookingId === bookingId);
  return { requests, error, dataUpdatedAt, refetch };
}

export type Answer = {
  /** In minor units; 0 for nothing. */
  sum: bigint;
  currencyCode: string;
  /** What the client reads. */
  answer: string;
};

const AT_DESK = 'It was paid at the desk: give it back there, and record that.';
const BY_MAIL = 'The client is told by mail.';

type About = { request: RefundRequest; booking: Booking };

export function useAnswering({ request, booking }: About, onDone: () => void) {
  const { requestId, number } = request;
  const staff = useRefundRequestStaff();
  const again = useReadAgain();
  return useCommand(
    ({ sum, currencyCode, answer }: Answer) => ({
      name: `answer-refund/${requestId}`,
      parts: [String(sum), answer],
      send: (idempotencyKey) => {
        const amount = { minorUnits: sum, currencyCode };
        const asked = { idempotencyKey, requestId, answer, ...(sum > 0n && { amount }) };
        return staff.answerRefundRequest(asked);
      },
    }),
    ({ request: answered, atDesk }) => {
      again();
      const isAtDesk = atDesk && answered?.amount !== undefined;
      toast({
        title: `${number}: ${grantedWords(answered?.amount)} to ${clientName(booking)}`,
        description: isAtDesk ? AT_DESK : BY_MAIL,
      });
      onDone();
    },
  );
}
