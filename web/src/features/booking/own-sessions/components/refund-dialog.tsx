/** Asks for a refund, with a reason if one wishes. */
import { type FormEvent, useEffect, useId, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { ErrorNotice } from '@/components/ui/error-notice';
import { TextArea } from '@/components/ui/text-area';
import type { RefundRequest } from '@/gen/payments/v1/refund_request_service_pb';
import { readText } from '@/lib/typed';
import { textError } from '@/lib/typed-errors';
import { useFields } from '@/lib/use-fields';
import { useLeaveWarning } from '@/lib/use-leave-warning';
import { useRequestRefund } from '../hooks/use-refund-request';

const REASON_MAX = 1000;

type RefundDialogProps = {
  bookingId: string;
  userId: string;
  onClose: () => void;
  onAsked: (request: RefundRequest) => void;
};

function validate({ reason }: { reason: string }) {
  const error = textError(reason, REASON_MAX);
  return error ? { reason: error } : {};
}

function Failed({ error, isLost }: { error: unknown; isLost: boolean }) {
  if (!error) return null;
  if (!isLost) return <ErrorNotice error={error} title="Nothing was asked for" />;
  return (
    <div className="flex flex-col gap-3">
      {/* Without a retry of its own: nothing is sent before the button is pressed again. */}
      <ErrorNotice error={error} title="We don't know yet whether it is asked for" />
      <p>Please press the button again. It is asked for only once.</p>
    </div>
  );
}

export function RefundDialog({ onClose, onAsked, ...whose }: RefundDialogProps) {
  const [open, setOpen] = useState(true);
  const close = () => setOpen(false);
  // It is closed before it is taken away, so that the browser returns the focus to its opener.
  useEffect(() => {
    if (!open) onClose();
  }, [open, onClose]);
  const formId = useId();
  const fields = useFields({ reason: '' }, validate);
  const { reason } = fields.values;
  // It may speak of health, so it is in memory only.
  useLeaveWarning(reason.trim() !== '');
  const { ask, busy, error, isLost } = useRequestRefund(whose, onAsked);

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    if (busy || !fields.check()) return;
    ask(readText(reason, REASON_MAX).read ?? '');
  }

  return (
    <Dialog
      open={open}
      onClose={close}
      title="Ask for a refund?"
      actions={
        <>
          <Button type="submit" form={formId} busy={busy} busyText="Asking…">
            Ask for a refund
          </Button>
          <Button variant="secondary" onClick={close}>
            Not now
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={onSubmit} className="flex flex-col gap-4">
        <p>
          We are sorry that it was not what you hoped for. We read your request, and answer it
          within 48 hours.
        </p>
        <TextArea
          label="Why?"
          optional
          hint={
            "At most 1,000 characters. Only the practice's owner, or an administrator, reads it. " +
            'It stands in no e-mail.'
          }
          {...fields.input('reason')}
        />
        <Failed error={error} isLost={isLost} />
      </form>
    </Dialog>
  );
}
