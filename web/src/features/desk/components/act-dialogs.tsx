/** The dialogs of the acts that take one, in code of their own: it comes when a session is pressed. */
import type { ActDialog } from '../model/acts';
import type { SessionRow } from '../model/day';
import { AskTimeDialog } from './ask-time-dialog';
import { CancelDialog } from './cancel-dialog';
import { DeskPaymentDialog } from './desk-payment-dialog';
import { MoveDialog } from './move-dialog';
import { RefundDialog } from './refund-dialog';

export type ActDialogsProps = {
  what: ActDialog;
  row: SessionRow;
  now: number;
  onClose: () => void;
  onCheck: () => void;
};

export function ActDialogs({ what, ...props }: ActDialogsProps) {
  switch (what) {
    case 'move':
      return <MoveDialog {...props} />;
    case 'ask-time':
      return <AskTimeDialog {...props} />;
    case 'cancel':
      return <CancelDialog {...props} />;
    case 'refund':
      return <RefundDialog {...props} />;
    case 'desk-payment':
      return <DeskPaymentDialog {...props} />;
  }
}
