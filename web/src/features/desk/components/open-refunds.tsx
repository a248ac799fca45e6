/** For owners and admins: the refunds of a booking that need a person, each with its sum and its act. */
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { formatPrice } from '@/lib/money';
import { useOpenRefunds } from '../hooks/use-open-refunds';
import type { OpenRefund } from '../model/open-refunds';
import { GiveBackDialog, ReleaseDialog } from './open-refund-dialogs';
import { StaleNotice } from './stale-notice';

const DIALOGS = { disputed: ReleaseDialog, 'at-desk': GiveBackDialog };

type Kind = OpenRefund['kind'];

const WHY: Record<Kind, string> = {
  disputed: 'waits, because the client’s bank disputes the payment.',
  'at-desk': 'was paid at the desk, and is to be given back there.',
};

type RefundActProps = { refund: OpenRefund; onOpen: (kind: Kind) => void };

/** Opens the second step; the sum stands on it. */
export function RefundAct({ refund: { kind, amount }, onOpen }: RefundActProps) {
  const sum = formatPrice(amount);
  return (
    <Button size="sm" variant="secondary" onClick={() => onOpen(kind)}>
      {kind === 'disputed' ? `Let ${sum} go back…` : `${sum} was given back…`}
    </Button>
  );
}

type RefundSecondStepProps = { booking: Booking; kind: Kind | undefined; onClose: () => void };

export function RefundSecondStep({ booking, kind, onClose }: RefundSecondStepProps) {
  if (!kind) return null;
  const Shown = DIALOGS[kind];
  return <Shown booking={booking} onClose={onClose} />;
}

export function OpenRefunds({ booking }: { booking: Booking }) {
  const { refunds = [], error, dataUpdatedAt, refetch } = useOpenRefunds(booking.bookingId);
  const [kind, setKind] = useState<Kind>();
  return (
    <>
      <StaleNotice
        error={error}
        readAt={dataUpdatedAt}
        what="Waiting refunds"
        onRetry={() => void refetch()}
      />
      {refunds.map((refund) => (
        <div key={refund.kind} className="flex flex-wrap items-center justify-between gap-2">
          <p>
            <span className="font-semibold numeric">{formatPrice(refund.amount)}</span>{' '}
            {WHY[refund.kind]}
          </p>
          <RefundAct refund={refund} onOpen={setKind} />
        </div>
      ))}
      <RefundSecondStep booking={booking} kind={kind} onClose={() => setKind(undefined)} />
    </>
  );
}
