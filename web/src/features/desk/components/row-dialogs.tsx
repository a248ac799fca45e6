/** The dialogs that a session's sheet leads to, as one file of code. */
import type { SessionRow } from '../model/day';
import { CancelDialog } from './cancel-dialog';
import { DeskPaymentDialog } from './desk-payment-dialog';
import { RefundDialog } from './refund-dialog';

export type RowDialogProps = {
  what: 'cancel' | 'refund' | 'desk-payment';
  row: SessionRow;
  now: number;
  onClose: () => void;
  onCheck: () => void;
};

export function RowDialog({ what, ...props }: RowDialogProps) {
  if (what === 'cancel') return <CancelDialog {...props} />;
  return what === 'refund' ? <RefundDialog {...props} /> : <DeskPaymentDialog {...props} />;
}
