import { useState } from 'react';
import { Button } from '@/components/ui/button';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { Payer } from '@/gen/payments/v1/payments_service_pb';
import { PayerDialog } from './payer-dialog';

type PayerLineProps = {
  paper: { booking: Booking; payer: Payer | undefined; takesPayer: boolean };
  onSaved: () => void;
};

/** The payer on the receipts of a booking, where it can be changed. */
export function PayerLine({ paper, onSaved }: PayerLineProps) {
  const [open, setOpen] = useState(false);
  const { booking, payer, takesPayer } = paper;
  if (!takesPayer) return null;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm print:hidden">
      <p className="min-w-0 break-words text-ink-2">
        {payer ? (
          <>
            Billed to <bdi className="font-semibold text-ink">{payer.name}</bdi>
            {payer.gstin ? `, GSTIN ${payer.gstin}` : null}
          </>
        ) : (
          'Do you need the invoice in a business name or with a GSTIN?'
        )}
      </p>
      <Button variant="secondary" size="sm" onClick={() => setOpen(true)}>
        {payer ? 'Change billing details' : 'Add billing details'}
      </Button>
      {open ? (
        <PayerDialog
          bookingId={booking.bookingId}
          payer={payer}
          onClose={() => setOpen(false)}
          onSaved={onSaved}
        />
      ) : null}
    </div>
  );
}
