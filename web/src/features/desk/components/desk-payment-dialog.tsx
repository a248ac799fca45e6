/** Records that a booking by phone was paid at the desk: the whole price, in cash or by UPI. */
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { RadioGroup } from '@/components/ui/radio-group';
import { TextField } from '@/components/ui/text-field';
import { toast } from '@/components/ui/toast-store';
import { DeskWay } from '@/gen/common/v1/money_pb';
import { formatPrice } from '@/lib/money';
import { useDeskNews } from '../hooks/use-bookings';
import { useCommand } from '../hooks/use-command';
import { usePaymentsStaff } from '../hooks/use-staff-services';
import type { SessionRow } from '../model/day';
import { clientName } from '../model/staff-booking';
import { CommandNotice } from './command-notice';

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
  const [way, setWay] = useState(DeskWay.CASH);
  const [reference, setReference] = useState('');
  const inCash = way === DeskWay.CASH;
  const recording = useCommand(
    (asked: { way: DeskWay; reference: string }) => ({
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
          <Button
            busy={recording.busy}
            onClick={() => recording.run({ way, reference: inCash ? '' : reference.trim() })}
          >
            Record {formatPrice(price)} {inCash ? 'in cash' : 'by UPI'}
          </Button>
          <Button variant="secondary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p>The booking is confirmed, and its payment link ends. This cannot be taken back.</p>
        <RadioGroup
          legend="How it was paid"
          name="way"
          options={[
            { value: String(DeskWay.CASH), label: 'In cash' },
            { value: String(DeskWay.UPI), label: 'By UPI' },
          ]}
          value={String(way)}
          onChange={(value) => setWay(Number(value))}
        />
        {inCash ? null : (
          <TextField
            label="The bank's reference"
            name="reference"
            optional
            autoComplete="off"
            maxLength={40}
            value={reference}
            onChange={(event) => setReference(event.target.value)}
          />
        )}
        <CommandNotice error={recording.error} notSure={recording.notSure} onCheck={check} />
      </div>
    </Dialog>
  );
}
