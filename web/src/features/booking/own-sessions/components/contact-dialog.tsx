/** Corrects the name, the phone number and the note of a booking; its address stays. */
import { type FormEvent, useEffect, useId, useState } from 'react';
import { Button } from '@/components/ui/button';
import { NameFields, PhoneField } from '@/components/ui/contact-fields';
import { Dialog } from '@/components/ui/dialog';
import { ErrorNotice } from '@/components/ui/error-notice';
import { ErrorSummary } from '@/components/ui/error-summary';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { useLeaveWarning } from '@/lib/use-leave-warning';
import { NoteField } from '../../shared/components/note-field';
import { hasSameNotes } from '../../shared/draft';
import { contactOf, useCorrectContact } from '../hooks/use-correct-contact';

type ContactDialogProps = {
  booking: Booking;
  onClose: () => void;
  onDone: (after: Booking) => void;
};

function Failed({ error, isLost }: { error: unknown; isLost: boolean }) {
  if (!error) return null;
  if (!isLost) return <ErrorNotice error={error} title="Nothing was changed" />;
  return (
    <div className="flex flex-col gap-3">
      <ErrorNotice error={error} title="We don't know yet whether it is changed" />
      <p>Please press the button again.</p>
    </div>
  );
}

export function ContactDialog({ booking, onClose, onDone }: ContactDialogProps) {
  const [open, setOpen] = useState(true);
  const close = () => setOpen(false);
  // It is closed before it is taken away, so that the browser returns the focus to its opener.
  useEffect(() => {
    if (!open) onClose();
  }, [open, onClose]);
  const formId = useId();
  const [before] = useState(() => contactOf(booking));
  const { fields, submit, busy, error, isLost } = useCorrectContact(booking, onDone);
  // It may speak of health, so it is in memory only.
  useLeaveWarning(!hasSameNotes(fields.values, before));

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    submit();
  }

  return (
    <Dialog
      open={open}
      sheet
      onClose={close}
      title="Correct your details"
      actions={
        <>
          <Button type="submit" form={formId} busy={busy} busyText="Saving…">
            Save
          </Button>
          <Button variant="secondary" onClick={close}>
            Leave as it is
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={onSubmit} className="flex flex-col gap-4">
        <ErrorSummary errors={fields.errors} attempt={fields.refusals} />
        <div className="grid gap-4 sm:grid-cols-2">
          <NameFields fields={fields} />
        </div>
        <PhoneField optional {...fields.input('phone')} />
        <div>
          <p className="font-semibold">Email</p>
          <p className="wrap-break-word">{before.email}</p>
          <p className="text-sm text-ink-2">
            The address stays with the booking. To use another one, write to us.
          </p>
        </div>
        <NoteField
          fields={fields}
          hint="Optional. Only your practitioner will read this. It replaces what you wrote before."
        />
        <Failed error={error} isLost={isLost} />
      </form>
    </Dialog>
  );
}
