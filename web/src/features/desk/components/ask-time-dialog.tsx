/** Asks a client to choose another time, because the practice cannot hold the session. */
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Checkbox } from '@/components/ui/checkbox';
import { Dialog } from '@/components/ui/dialog';
import { usePracticeZone } from '@/lib/practice';
import { useAskingForTime } from '../hooks/use-proposing';
import type { SessionRow } from '../model/day';
import { askingWords, chooseUntil, proposalRefusalWords } from '../model/move-proposal';
import { reasonError } from '../model/move-words';
import { clientName } from '../model/staff-booking';
import { timeWords } from '../model/time-words';
import { CommandNotice } from './command-notice';
import { ReasonField } from './reason-field';

type AskTimeDialogProps = {
  row: SessionRow;
  now: number;
  onClose: () => void;
  onCheck: () => void;
};

export function AskTimeDialog({ row, now, onClose, onCheck }: AskTimeDialogProps) {
  const { booking, startsAt } = row;
  const zone = usePracticeZone();
  const [reason, setReason] = useState('');
  const [opensAgain, setOpensAgain] = useState(false);
  const [tried, setTried] = useState(false);
  const asking = useAskingForTime(row, onClose);

  function send() {
    setTried(true);
    if (!reasonError(reason)) asking.run({ reason: reason.trim(), opensAgain });
  }

  function check() {
    asking.reset();
    onCheck();
  }

  return (
    <Dialog
      open
      sheet
      onClose={onClose}
      title={<span dir="auto">Ask {clientName(booking)} for another time</span>}
      actions={
        <>
          <Button busy={asking.busy} onClick={send}>
            <span dir="auto">Ask {clientName(booking)}</span>
          </Button>
          <Button variant="secondary" onClick={onClose}>
            Keep the time
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <p className="font-semibold numeric">
          Now: {timeWords(startsAt, zone)} {zone.label}
        </p>
        <p>{askingWords(chooseUntil(startsAt, now), zone)}</p>
        <ReasonField value={reason} onChange={setReason} tried={tried} />
        <Checkbox
          label="Offer this time to others afterwards"
          name="opensAgain"
          checked={opensAgain}
          hint="Otherwise it is closed once the session has left it."
          onChange={(event) => setOpensAgain(event.target.checked)}
        />
        <CommandNotice
          error={asking.error}
          notSure={asking.notSure}
          onCheck={check}
          wordsOf={proposalRefusalWords}
        />
      </div>
    </Dialog>
  );
}
