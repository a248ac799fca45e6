/** Gives money back beside the policy: whose, how much, and the sum on the button. It has no Undo. */
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { toast } from '@/components/ui/toast-store';
import { formatMoney, formatPrice } from '@/lib/money';
import { useDeskNews } from '../hooks/use-bookings';
import { useCommand } from '../hooks/use-command';
import { usePaymentsStaff } from '../hooks/use-staff-services';
import type { SessionRow } from '../model/day';
import { moneyLeft, paiseOf, writtenSum } from '../model/rupees';
import { clientName } from '../model/staff-booking';
import { CommandNotice } from './command-notice';
import { RupeeField } from './rupee-field';

type MoneyDialogProps = {
  row: Pick<SessionRow, 'booking'>;
  onClose: () => void;
  onCheck: () => void;
};

export function RefundDialog({ row, onClose, onCheck }: MoneyDialogProps) {
  const { booking } = row;
  const payments = usePaymentsStaff();
  const { refresh } = useDeskNews();
  const currencyCode = booking.price?.currencyCode ?? 'INR';
  const [written, setWritten] = useState(writtenSum(moneyLeft(booking)));
  const sum = paiseOf(written);
  const refunding = useCommand(
    (minorUnits: bigint) => ({
      name: `refund/${booking.bookingId}`,
      parts: [String(minorUnits)],
      send: (idempotencyKey) =>
        payments.refundPayment({
          bookingId: booking.bookingId,
          idempotencyKey,
          amount: { minorUnits, currencyCode },
        }),
    }),
    ({ amount, atDesk }) => {
      void refresh();
      const title = `${formatPrice(amount)} goes back to ${clientName(booking)}`;
      const description = atDesk
        ? 'It was paid at the desk: give it back there, and record that.'
        : undefined;
      toast({ title, ...(description && { description }) });
      onClose();
    },
    () => void refresh(),
  );

  function check() {
    refunding.reset();
    onCheck();
  }

  return (
    <Dialog
      open
      sheet
      onClose={onClose}
      title={<span dir="auto">Give money back to {clientName(booking)}</span>}
      actions={
        <>
          {sum ? (
            <Button variant="danger" busy={refunding.busy} onClick={() => refunding.run(sum)}>
              Give {formatMoney(sum, currencyCode)} back
            </Button>
          ) : null}
          <Button variant="secondary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p>
          Paid: {formatPrice(booking.paid)}. This goes back besides what a cancellation gives, and
          cannot be taken back.
        </p>
        <RupeeField value={written} onChange={setWritten} />
        <CommandNotice error={refunding.error} notSure={refunding.notSure} onCheck={check} />
      </div>
    </Dialog>
  );
}
