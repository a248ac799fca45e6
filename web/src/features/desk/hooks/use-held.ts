/** What is done with a held time: released, its page sent again, or confirmed on its client's word. */
import { toast } from '@/components/ui/toast-store';
import { useDeskNews } from './use-bookings';
import { useCommand } from './use-command';
import { CALL, useBookingStaff } from './use-desk-clients';

/** The address of a page on which a booking by phone is paid. */
export function pageAddress(pageKey: string): string {
  return `${window.location.origin}/pay/booking#key=${pageKey}`;
}

export function useHeld(onPage: (address: string) => void, onDone: () => void) {
  const staff = useBookingStaff();
  const { learn, refresh } = useDeskNews();
  const failed = () => void refresh();
  const release = useCommand(
    (bookingId: string) => ({
      name: `release/${bookingId}`,
      parts: [],
      send: (idempotencyKey) => staff.releaseHold({ bookingId, idempotencyKey }, CALL),
    }),
    ({ booking }) => {
      learn(booking);
      toast({ title: 'The time is free again' });
      onDone();
    },
    failed,
  );
  const sendPage = useCommand(
    (bookingId: string) => ({
      name: `send-page/${bookingId}`,
      parts: [],
      send: (idempotencyKey) =>
        staff.sendPaymentPage({ bookingId, idempotencyKey, sendMail: true }, CALL),
    }),
    ({ booking, pageKey }) => {
      learn(booking);
      onPage(pageAddress(pageKey));
    },
    failed,
  );
  const accept = useCommand(
    (bookingId: string) => ({
      name: `accept/${bookingId}`,
      parts: [],
      send: (idempotencyKey) => staff.acceptClaim({ bookingId, idempotencyKey }),
    }),
    ({ booking }) => {
      learn(booking);
      toast({ title: 'Confirmed on the client’s word' });
      onDone();
    },
    failed,
  );
  return { release, sendPage, accept };
}
