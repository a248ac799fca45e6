/** The second press of a cancellation: it says what comes back, and its button carries the sum. */
import { useEffect, useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { ErrorNotice } from '@/components/ui/error-notice';
import { SteadyButton } from '@/components/ui/steady-button';
import type { Booking, PreviewOwnCancellationResponse } from '@/gen/booking/v1/booking_service_pb';
import { usePracticeZone } from '@/lib/practice';
import { type Cancelling, useCancelling } from '../hooks/use-cancelling';
import { type PageCode, usePageCode } from '../hooks/use-page-code';
import { pageCodeProblem } from '../page-code';
import { cancelWords, changeWords, graceWords, sessionsWords, undoWords } from '../refund-words';
import { PageCodeForm } from './page-code-form';

type CancelDialogProps = {
  booking: Booking;
  /** From 1; 0 for all sessions to come. */
  sessionNumber: number;
  onClose: () => void;
  onDone: (booking: Booking, shown: PreviewOwnCancellationResponse) => void;
  onStale: () => void;
};

/** A failure: of the question what comes back, or of the command, whose answer may be lost. */
function Failed({ error, isLost, shown, ask }: Cancelling) {
  if (error === undefined || pageCodeProblem(error)) return null;
  if (!shown) {
    const title = "We can't say what comes back";
    return <ErrorNotice error={error} title={title} onRetry={ask} />;
  }
  if (!isLost) return <ErrorNotice error={error} title="Nothing was cancelled" />;
  return (
    <div className="flex flex-col gap-3">
      {/* Without a retry of its own: nothing is cancelled before the button is pressed again. */}
      <ErrorNotice error={error} title="We don't know yet whether it is cancelled" />
      <p>Please press the button again. It is never cancelled twice.</p>
    </div>
  );
}

function Change({ before, shown }: Pick<Cancelling, 'before' | 'shown'>) {
  const change = shown && changeWords(before, shown);
  if (!change) return null;
  return (
    <Alert tone="warn" live title={change.title}>
      {change.text}
    </Alert>
  );
}

function Shown({ booking, cancelling }: { booking: Booking; cancelling: Cancelling }) {
  const { shown, busy } = cancelling;
  const zone = usePracticeZone();
  if (!shown) return <p>{busy ? 'Looking up what comes back…' : ''}</p>;
  const { sessionNumbers, atOnce } = shown;
  return (
    <>
      {booking.package ? <p>{sessionsWords(booking, sessionNumbers)} of your package.</p> : null}
      <p className="text-lg font-semibold numeric">{graceWords(booking, shown, zone)}</p>
      <p>{undoWords(atOnce)}</p>
    </>
  );
}

type ConfirmProps = { booking: Booking; cancelling: Cancelling; pageCode: PageCode };

/** The button with the sum; where a code is needed, once it was sent. */
function Confirm({ booking, cancelling, pageCode }: ConfirmProps) {
  const { shown, busy, confirm } = cancelling;
  if (!shown || !pageCode.isOpen) return null;
  return (
    <SteadyButton
      variant="danger"
      busy={busy}
      words={cancelWords(booking, shown.refund)}
      onPress={() => pageCode.act(confirm)}
    />
  );
}

export function CancelDialog({ onClose, ...props }: CancelDialogProps) {
  const { booking, sessionNumber } = props;
  const [open, setOpen] = useState(true);
  const close = () => setOpen(false);
  // It is closed before it is taken away, so that the browser returns the focus to its opener.
  useEffect(() => {
    if (!open) onClose();
  }, [open, onClose]);
  const cancelling = useCancelling(props);
  const pageCode = usePageCode(cancelling.codeNeeded, cancelling.error);
  const what = sessionNumber === 0 ? [] : [sessionNumber];
  const title = booking.package
    ? `Cancel ${sessionsWords(booking, what).toLowerCase()}?`
    : 'Cancel this session?';
  return (
    <Dialog
      open={open}
      onClose={close}
      title={title}
      actions={
        <>
          <Confirm {...{ booking, cancelling, pageCode }} />
          <Button variant="secondary" onClick={close}>
            Keep it
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <div aria-live="polite" className="flex flex-col gap-2">
          <Shown booking={booking} cancelling={cancelling} />
        </div>
        <Change {...cancelling} />
        <PageCodeForm pageCode={pageCode} />
        <Failed {...cancelling} />
      </div>
    </Dialog>
  );
}
