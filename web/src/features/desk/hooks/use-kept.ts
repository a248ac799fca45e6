/** What late cancellations of a booking kept, for owners and admins, and giving it back once. */
import { useQuery } from '@tanstack/react-query';
import { toast } from '@/components/ui/toast-store';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { formatPrice } from '@/lib/money';
import { useMember } from '../member';
import { mayKeep } from '../model/kept';
import { clientName } from '../model/staff-booking';
import { DESK, LESS_LIVE } from './desk-keys';
import { useCommand } from './use-command';
import { useReadAgain } from './use-open-refunds';
import { usePaymentsStaff } from './use-staff-services';

export function useKept(booking: Booking) {
  const { bookingId } = booking;
  const { userId } = useMember();
  const payments = usePaymentsStaff();
  return useQuery({
    ...LESS_LIVE,
    enabled: mayKeep(booking),
    queryKey: [DESK, userId, 'kept', bookingId],
    queryFn: async ({ signal }) =>
      (await payments.getKeptAmount({ bookingId }, { signal })).amount ?? null,
  });
}

type Sum = { minorUnits: bigint; currencyCode: string };

/** It asks for the second step of just now, so that a call is waited for without an end. */
export function useGivingKeptBack(booking: Booking) {
  const { bookingId } = booking;
  const payments = usePaymentsStaff();
  const again = useReadAgain();
  return useCommand(
    ({ minorUnits, currencyCode }: Sum) => ({
      name: `give-back-kept/${bookingId}`,
      parts: [String(minorUnits)],
      send: (idempotencyKey) => {
        const amount = { minorUnits, currencyCode };
        return payments.giveBackKept({ bookingId, idempotencyKey, amount });
      },
    }),
    ({ amount, atDesk }) => {
      again();
      const description = 'It was paid at the desk: give it back there, and record that.';
      const title = `${formatPrice(amount)} goes back to ${clientName(booking)}`;
      toast({ title, ...(atDesk && { description }) });
    },
    again,
  );
}
