/** The second press of taking an earlier time: both times, and a button that names the new one. */
import { useEffect, useState } from 'react';
import { OwnTime } from '@/components/own-time';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { Waiting, WaitingOffer } from '@/gen/booking/v1/waiting_service_pb';
import { usePracticeZone } from '@/lib/practice';
import { toDate } from '@/lib/time';
import { useTakeEarlier } from '../hooks/use-take-earlier';
import { shortTime } from '../refund-words';
import { MoveFailed } from './move-notices';

type TakeEarlierDialogProps = {
  waiting: Waiting;
  offer: WaitingOffer;
  online: boolean;
  onClose: () => void;
  onMoved: (after: Booking) => void;
  onRefused: (reason: string) => void;
};

export function TakeEarlierDialog(props: TakeEarlierDialogProps) {
  const { waiting, offer, online, onClose } = props;
  const zone = usePracticeZone();
  const [open, setOpen] = useState(true);
  const close = () => setOpen(false);
  // It is closed before it is taken away, so that the browser returns the focus to its opener.
  useEffect(() => {
    if (!open) onClose();
  }, [open, onClose]);
  const { take, busy, error, isLost } = useTakeEarlier(waiting, offer, props);
  const { earlierThanAt } = waiting;
  if (!offer.startsAt || !earlierThanAt) return null;
  const [from, to] = [toDate(earlierThanAt), toDate(offer.startsAt)];
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Move your session to this time?"
      actions={
        <>
          <Button busy={busy} busyText="Moving…" onClick={take}>
            Move to {shortTime(to, zone)}
          </Button>
          <Button variant="secondary" onClick={close}>
            Not yet
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p className="text-lg numeric">
          From {shortTime(from, zone)} to <strong>{shortTime(to, zone)}</strong>
          {online ? <OwnTime at={to} zone={zone} /> : null}
        </p>
        <p>Everything else stays as it is. Your present time then becomes free for someone else.</p>
        <MoveFailed error={error} isLost={isLost} />
      </div>
    </Dialog>
  );
}
