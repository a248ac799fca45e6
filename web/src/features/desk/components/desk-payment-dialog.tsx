/** Records that a booking by phone was paid at the desk: the whole price, in cash or by UPI. */
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { toast } from '@/components/ui/toast-store';
import { DeskWay } from '@/gen/common/v1/money_pb';
import { formatPrice } from '@/lib/money';
import { useDeskNews } from '../hooks/use-bookings';
import { useCommand } from '../hooks/use-command';
import { usePaymentsStaff } from '../hooks/use-staff-services';
import type { SessionRow } from '../model/day';
import { clientName } from '../model/staff-booking';
import { CommandNotice } from './command-notice';
import { type DeskHandover, DeskWayFields, handoverToSend, wayWord } from './desk-way-fields';

type DeskPaymentDialogProps = {
  row: Pick<SessionRow, 'booking'>;
  onClose: () => void;
  onCheck: () => void;
};

export function DeskPaymentDialog({ row, onClose, onCheck }: DeskPaymentDialogProps) {
  const { booking } = row;
  const { bookingId, price } = booking;
  const payments = usePaymentsStaff();
  const { refresh } = useDeskNews();
  const [handover, setHandover] = useState<DeskHandover>({ way: DeskWay.CASH, reference: '' });
  const recording = useCommand(
    (asked: DeskHandover) => ({
      name: `desk-payment/${bookingId}`,
      parts: [String(asked.way), asked.reference],
      send: (idempotencyKey) =>
        payments.recordDeskPayment({
          bookingId,
          idempotencyKey,
          ...asked,
          ...(price && { amount: price }),
        }),
    }),
    () => {
      void refresh();
      toast({ title: `${formatPrice(price)} of ${clientName(booking)} is recorded` });
      onClose();
    },
    () => void refresh(),
  );

  function check() {
    recording.reset();
    onCheck();
  }

  return (
    <Dialog
      open
      sheet
      onClose={onClose}
      title={<span dir="auto">{clientName(booking)} paid at the desk</span>}
      actions={
        <>
          <Button busy={recording.busy} onClick={() => recording.run(handoverToSend(handover))}>
            Record {formatPrice(price)} {wayWord(handover.way)}
          </Button>
          <Button variant="secondary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p>The booking is confirmed, and its payment link ends. This cannot be taken back.</p>
        <DeskWayFields legend="How it was paid" value={handover} onChange={setHandover} />
        <CommandNotice error={recording.error} notSure={recording.notSure} onCheck={check} />
      </div>
    </Dialog>
  );
}
