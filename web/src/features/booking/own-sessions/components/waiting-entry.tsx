/** One entry of a client's wait list: what is waited for, and leaving the list. */
import { useCallback, useEffect, useId, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Dialog } from '@/components/ui/dialog';
import { ErrorNotice } from '@/components/ui/error-notice';
import type { Waiting } from '@/gen/booking/v1/waiting_service_pb';
import { describeError } from '@/lib/errors';
import { usePracticeZone } from '@/lib/practice';
import { SummaryList } from '../../shared/components/booking-summary';
import { useLeaveWaiting } from '../hooks/use-leave-waiting';
import { wishRows } from '../wish';

type EntryProps = { waiting: Waiting; onLeft: () => void };

function stillTitle(error: unknown): string {
  const isLost = describeError(error).lost;
  return isLost ? "We don't know yet whether you left the list" : 'You are still on the list';
}

function LeaveDialog({ waiting, onLeft, onClose }: EntryProps & { onClose: () => void }) {
  const [open, setOpen] = useState(true);
  const close = () => setOpen(false);
  // It is closed before it is taken away, so that the browser returns the focus to its opener.
  useEffect(() => {
    if (!open) onClose();
  }, [open, onClose]);
  const leave = useLeaveWaiting(waiting.waitingId, onLeft);
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Leave the wait list?"
      actions={
        <>
          <Button variant="danger" busy={leave.isPending} onClick={() => leave.mutate()}>
            Leave the wait list
          </Button>
          <Button variant="secondary" onClick={close}>
            Stay on it
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p>
          No time of {waiting.serviceTitle} is offered to you any more. You can join again, and then
          come after those who wait already.
        </p>
        {leave.error ? <ErrorNotice error={leave.error} title={stillTitle(leave.error)} /> : null}
      </div>
    </Dialog>
  );
}

export function WaitingEntry({ waiting, onLeft }: EntryProps) {
  const zone = usePracticeZone();
  const titleId = useId();
  const [leaving, setLeaving] = useState(false);
  const close = useCallback(() => setLeaving(false), []);
  const { serviceTitle } = waiting;
  return (
    <article aria-labelledby={titleId}>
      <Card className="flex flex-col gap-3">
        <h3 id={titleId} className="text-h3">
          {serviceTitle}
        </h3>
        <SummaryList rows={wishRows(waiting, zone)} />
        <Button
          variant="secondary"
          size="sm"
          className="self-start"
          onClick={() => setLeaving(true)}
        >
          <span>
            Leave<span className="sr-only"> the wait list for {serviceTitle}</span>
          </span>
        </Button>
        {leaving ? (
          <LeaveDialog
            waiting={waiting}
            onClose={close}
            onLeft={() => {
              close();
              onLeft();
            }}
          />
        ) : null}
      </Card>
    </article>
  );
}
