import { useState } from 'react';
import { Button } from '@/components/ui/button';
import type { PayerDetails } from '@/gen/payments/v1/payments_service_pb';
import { PayerDialog } from './payer-dialog';

type PayerLineProps = {
  bookingId: string;
  details: PayerDetails | undefined;
  onSaved: () => void;
};

/** Whom the papers of a booking name, where that can be changed. */
export function PayerLine({ bookingId, details, onSaved }: PayerLineProps) {
  const [open, setOpen] = useState(false);
  if (!details?.canChange) return null;
  const { payer } = details;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm print:hidden">
      <p className="min-w-0 break-words text-ink-2">
        {payer ? (
          <>
            Billed to <span className="font-semibold text-ink">{payer.name}</span>
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
          bookingId={bookingId}
          payer={payer}
          onClose={() => setOpen(false)}
          onSaved={onSaved}
        />
      ) : null}
    </div>
  );
}
