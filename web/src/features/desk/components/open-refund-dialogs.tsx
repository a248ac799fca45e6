/**
 * The second step of a refund that needs a person: it names the client and the sum, as they are now,
 * and does it. Neither act has an Undo.
 */
import { type ReactNode, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Skeleton } from '@/components/ui/skeleton';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { DeskWay } from '@/gen/common/v1/money_pb';
import { formatPrice } from '@/lib/money';
import type { Commanding } from '../hooks/use-command';
import { type GivenBack, useGiveBack, useOpenRefunds, useRelease } from '../hooks/use-open-refunds';
import type { OpenRefund } from '../model/open-refunds';
import { clientName } from '../model/staff-booking';
import { CommandNotice } from './command-notice';
import { type DeskHandover, DeskWayFields, handoverToSend, wayWord } from './desk-way-fields';
import { StaleNotice } from './stale-notice';

type RefundDialogProps = { booking: Booking; onClose: () => void };

type FrameProps = RefundDialogProps & {
  kind: OpenRefund['kind'];
  title: ReactNode;
  doing: Omit<Commanding<never>, 'run'>;
  /** What it says and offers of the refund as it is now. */
  words: (refund: OpenRefund) => ReactNode;
  act: (refund: OpenRefund) => ReactNode;
};

function Frame({ booking, kind, title, doing, words, act, onClose }: FrameProps) {
  const { refunds, error, dataUpdatedAt, refetch } = useOpenRefunds(booking.bookingId);
  const refund = refunds?.find((one) => one.kind === kind);

  function check() {
    doing.reset();
    void refetch();
  }

  return (
    <Dialog
      open
      sheet
      onClose={onClose}
      title={<span dir="auto">{title}</span>}
      actions={
        <>
          {refund ? act(refund) : null}
          <Button variant="secondary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {refund ? words(refund) : null}
        {refunds && !refund ? <p>Nothing of it waits any more.</p> : null}
        {!refunds && !error ? <Skeleton className="h-14 w-full" /> : null}
        <StaleNotice error={error} readAt={dataUpdatedAt} what="The refund" onRetry={check} />
        <CommandNotice error={doing.error} notSure={doing.notSure} onCheck={check} />
      </div>
    </Dialog>
  );
}

export function ReleaseDialog({ booking, onClose }: RefundDialogProps) {
  const name = clientName(booking);
  const releasing = useRelease(booking, onClose);
  return (
    <Frame
      booking={booking}
      kind="disputed"
      title={`Let the refund go to ${name}`}
      doing={releasing}
      onClose={onClose}
      words={({ amount }) => (
        <p>
          {formatPrice(amount)} waits, because the bank of <bdi>{name}</bdi> disputes the payment.
          Before the bank decides, giving it back can end the dispute; what the bank has taken
          already stays. It cannot be taken back.
        </p>
      )}
      act={({ amount }) => (
        <Button variant="danger" busy={releasing.busy} onClick={() => releasing.run(amount)}>
          Let {formatPrice(amount)} go back
        </Button>
      )}
    />
  );
}

export function GiveBackDialog({ booking, onClose }: RefundDialogProps) {
  const { paidAtDesk } = booking;
  const name = clientName(booking);
  const recording = useGiveBack(booking, onClose);
  const [handover, setHandover] = useState<DeskHandover>({
    way: paidAtDesk === DeskWay.UPI ? DeskWay.UPI : DeskWay.CASH,
    reference: '',
  });
  const given = ({ amount }: OpenRefund): GivenBack => ({ amount, ...handoverToSend(handover) });
  return (
    <Frame
      booking={booking}
      kind="at-desk"
      title={`Given back to ${name} at the desk`}
      doing={recording}
      onClose={onClose}
      words={({ amount }) => (
        <>
          <p>
            {formatPrice(amount)} is owed to <bdi>{name}</bdi>, all of it. Record it once it was
            given back: the client is told by mail, and it cannot be taken back.
          </p>
          <DeskWayFields legend="How it was given back" value={handover} onChange={setHandover} />
        </>
      )}
      act={(refund) => (
        <Button busy={recording.busy} onClick={() => recording.run(given(refund))}>
          Record {formatPrice(refund.amount)} given back {wayWord(handover.way)}
        </Button>
      )}
    />
  );
}
