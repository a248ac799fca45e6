/** The refunds of a booking that need a person, for owners and admins, and what is done about them. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { toast } from '@/components/ui/toast-store';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { DeskWay } from '@/gen/common/v1/money_pb';
import { formatMoney, formatPrice } from '@/lib/money';
import { useMember } from '../member';
import { type OpenRefund, openRefunds } from '../model/open-refunds';
import { clientName } from '../model/staff-booking';
import { DESK, LESS_LIVE, TASKS } from './desk-keys';
import { useDeskNews } from './use-bookings';
import { useCommand } from './use-command';
import { usePaymentsStaff } from './use-staff-services';

/** Also those of today, which the list of what nothing explains leaves out. */
export function useOpenRefunds(bookingId: string) {
  const { userId } = useMember();
  const payments = usePaymentsStaff();
  const { data, error, dataUpdatedAt, refetch } = useQuery({
    ...LESS_LIVE,
    queryKey: [DESK, userId, 'open-refunds'],
    queryFn: async ({ signal }) =>
      openRefunds(
        (await payments.listUnexplainedOrders({ includeYoung: true }, { signal })).orders,
      ),
  });
  return {
    refunds: data?.filter((refund) => refund.bookingId === bookingId),
    error,
    dataUpdatedAt,
    refetch,
  };
}

/** Reads again what an act has changed, also the tasks. */
export function useReadAgain(): () => void {
  const { userId } = useMember();
  const queries = useQueryClient();
  const { refresh } = useDeskNews();
  return () => {
    void refresh();
    void queries.invalidateQueries({ queryKey: [TASKS, userId] });
  };
}

type Sum = OpenRefund['amount'];

/** The answer says how much: what the bank has deducted meanwhile stays. The call may be repeated. */
export function useRelease(booking: Booking, onDone: () => void) {
  const { bookingId } = booking;
  const payments = usePaymentsStaff();
  const again = useReadAgain();
  return useCommand(
    (asked: Sum) => ({
      name: `release-refund/${bookingId}`,
      parts: [String(asked.minorUnits)],
      send: () => payments.releaseRefund({ bookingId }),
    }),
    ({ amount }, asked) => {
      again();
      const left = asked.minorUnits - (amount?.minorUnits ?? 0n);
      const stays = `${formatMoney(left, asked.currencyCode)} waits on: the bank has taken that part.`;
      toast({
        title: `${formatPrice(amount)} goes back to ${clientName(booking)}`,
        ...(left > 0n && { description: stays }),
      });
      onDone();
    },
    again,
  );
}

export type GivenBack = { amount: Sum; way: DeskWay; reference: string };

export function useGiveBack(booking: Booking, onDone: () => void) {
  const { bookingId } = booking;
  const payments = usePaymentsStaff();
  const again = useReadAgain();
  return useCommand(
    ({ amount, way, reference }: GivenBack) => ({
      name: `give-back/${bookingId}`,
      parts: [String(amount.minorUnits), String(way), reference],
      send: (idempotencyKey) =>
        payments.recordDeskRefund({ bookingId, idempotencyKey, amount, way, reference }),
    }),
    (_, { amount }) => {
      again();
      toast({
        title: `${formatPrice(amount)} to ${clientName(booking)} is recorded as given back`,
      });
      onDone();
    },
    again,
  );
}
