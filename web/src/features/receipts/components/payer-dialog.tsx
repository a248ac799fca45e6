import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { ErrorNotice } from '@/components/ui/error-notice';
import { SelectField } from '@/components/ui/select-field';
import { TextField } from '@/components/ui/text-field';
import { toast } from '@/components/ui/toast-store';
import { type Payer, PaymentsService } from '@/gen/payments/v1/payments_service_pb';
import { describeError } from '@/lib/errors';
import { useFields } from '@/lib/use-fields';
import {
  type PayerValues,
  plainGstin,
  refusedFields,
  validatePayer,
  valuesOf,
} from '../payer-rules';
import { STATE_OPTIONS } from '../states';

type PayerDialogProps = {
  bookingId: string;
  payer: Payer | undefined;
  onClose: () => void;
  onSaved: () => void;
};

/** Sends the details, or that there are none, and says what became of it. */
function useSaving({ bookingId, onClose, onSaved }: PayerDialogProps) {
  const transport = useTransport();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  async function save(values: PayerValues | undefined) {
    setBusy(true);
    setError(undefined);
    try {
      const client = createClient(PaymentsService, transport);
      await client.setPayer({ bookingId, payer: values });
      onSaved();
      toast({ title: values ? 'Billing details saved' : 'Billing details removed' });
      onClose();
      return undefined;
    } catch (thrown) {
      const refused = refusedFields(describeError(thrown));
      if (!refused) setError(thrown);
      return refused;
    } finally {
      setBusy(false);
    }
  }
  return { busy, error, save };
}

/** Asks for the name, GSTIN and address for the receipts of a booking. */
export function PayerDialog(props: PayerDialogProps) {
  const { payer, onClose } = props;
  const fields = useFields<PayerValues>(valuesOf(payer), validatePayer);
  const { busy, error, save } = useSaving(props);
  const formId = useId();
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    if (fields.refusals === 0) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [fields.refusals]);

  function onGstin({ target: { value } }: { target: { value: string } }) {
    fields.set('gstin', value);
    const code = plainGstin(value).slice(0, 2);
    if (STATE_OPTIONS.some((option) => option.value === code)) fields.set('stateCode', code);
  }

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    if (busy || !fields.check()) return;
    const refused = await save(fields.values);
    if (refused) fields.refuse(refused);
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title="Billing details"
      actions={
        <>
          <Button type="submit" form={formId} busy={busy} busyText="Saving…">
            Save
          </Button>
          {payer ? (
            <Button variant="secondary" onClick={() => void save(undefined)}>
              Remove them
            </Button>
          ) : null}
        </>
      }
    >
      <form
        ref={form}
        id={formId}
        noValidate
        onSubmit={(event) => void onSubmit(event)}
        className="flex flex-col gap-5"
      >
        <p className="text-ink-2">They stand on your receipt and invoice in place of your name.</p>
        <TextField label="Name" autoComplete="organization" {...fields.input('name')} />
        <TextField
          label="GSTIN"
          optional
          autoCapitalize="characters"
          spellCheck={false}
          {...fields.input('gstin')}
          onChange={onGstin}
        />
        <TextField label="Address" autoComplete="street-address" {...fields.input('address')} />
        <SelectField label="State" options={STATE_OPTIONS} {...fields.input('stateCode')} />
        {error ? <ErrorNotice error={error} /> : null}
      </form>
    </Dialog>
  );
}
