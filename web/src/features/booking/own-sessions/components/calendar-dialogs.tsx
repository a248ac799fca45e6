/** Asks before an address ends, because calendars that have it get nothing more from then on. */
import { useEffect, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { type CalendarAddress, useRenewCalendar, useStopCalendar } from '../hooks/use-own-calendar';
import { CalendarChoice, PressFailed } from './calendar-choice';

type EndDialogProps = {
  userId: string;
  /** The address in question is still there. */
  isThere: boolean;
  onPress: () => void;
  onClose: () => void;
};

/** Open until it is closed, or the address is gone. */
function useOpen({ isThere, onClose }: EndDialogProps) {
  const [isWanted, setWanted] = useState(true);
  const open = isWanted && isThere;
  // It is closed before it is taken away, so that the browser returns the focus to its opener.
  useEffect(() => {
    if (!open) onClose();
  }, [open, onClose]);
  return { open, close: () => setWanted(false) };
}

export function RenewDialog(props: EndDialogProps & { calendar: CalendarAddress }) {
  const { open, close } = useOpen(props);
  const [details, setDetails] = useState(props.calendar.details);
  const { renew, busy, error, isLost } = useRenewCalendar(props.userId);

  function press() {
    props.onPress();
    renew(details);
  }

  return (
    <Dialog
      open={open}
      onClose={close}
      title="Make a new address?"
      actions={
        <>
          <Button busy={busy} busyText="Making it…" onClick={press}>
            Make a new address
          </Button>
          <Button variant="secondary" onClick={close}>
            Keep the old one
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p>
          The old address ends: calendars that have it get nothing more from it. Then give the new
          one to yours.
        </p>
        <CalendarChoice details={details} onChange={setDetails} />
        <PressFailed
          {...{ error, isLost }}
          title="The old address stays"
          lostTitle="We don't know yet whether there is a new address"
        />
      </div>
    </Dialog>
  );
}

export function StopDialog(props: EndDialogProps) {
  const { open, close } = useOpen(props);
  const { stop, busy, error, isLost } = useStopCalendar(props.userId);

  function press() {
    props.onPress();
    stop();
  }

  return (
    <Dialog
      open={open}
      onClose={close}
      title="Stop this address?"
      actions={
        <>
          <Button variant="danger" busy={busy} busyText="Stopping it…" onClick={press}>
            Stop the address
          </Button>
          <Button variant="secondary" onClick={close}>
            Keep it
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p>
          Calendars that have it get nothing more from it. What one shows already may stay until you
          remove it there. Your sessions stay as they are.
        </p>
        <PressFailed
          {...{ error, isLost }}
          title="The address is not stopped"
          lostTitle="We don't know yet whether the address is stopped"
        />
      </div>
    </Dialog>
  );
}
