import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';

type ClaimDialogProps = { open: boolean; onClose: () => void; onConfirm: () => void };

/** Asks once more before a payment is claimed. */
export function ClaimDialog({ open, onClose, onConfirm }: ClaimDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Have you completed the payment?"
      actions={
        <>
          <Button onClick={onConfirm}>Yes, I have paid</Button>
          <Button variant="secondary" onClick={onClose}>
            Not yet
          </Button>
        </>
      }
    >
      <p>
        If your bank or UPI app shows the payment as done, tell us here. We keep your time a little
        longer, ask the payment provider at once, and confirm the booking as soon as the money is
        seen.
      </p>
    </Dialog>
  );
}
