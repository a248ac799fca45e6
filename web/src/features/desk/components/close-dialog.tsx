/** Closes a part of a day to clients. It can be taken back, so one press is enough. */
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { SelectField } from '@/components/ui/select-field';
import { TextField } from '@/components/ui/text-field';
import { errorReason } from '@/lib/errors';
import { usePractice } from '@/lib/practice';
import type { Commanding } from '../hooks/use-command';
import { type Closing, closingError } from '../model/closing';
import { CommandNotice } from './command-notice';
import { InTheWay, type OpenDialog } from './in-the-way';

type CloseDialogProps = {
  initial: Closing;
  closing: Commanding<Closing>;
  onCheck: () => void;
  onClose: () => void;
  onDialog: OpenDialog;
};

export function CloseDialog(props: CloseDialogProps) {
  const { initial, closing, onCheck, onClose, onDialog } = props;
  const { practitioners } = usePractice();
  const [wish, setWish] = useState(initial);
  const wrong = closingError(wish);
  const isTaken = Boolean(closing.error) && errorReason(closing.error) === 'SLOT_TAKEN';
  const instead: OpenDialog = (row, what) => {
    closing.reset();
    onClose();
    onDialog(row, what);
  };
  const change = (patch: Partial<Closing>) => {
    closing.reset();
    setWish({ ...wish, ...patch });
  };
  const input = (name: 'date' | 'fromTime' | 'toTime') => ({
    name,
    value: wish[name],
    onChange: (event: { target: { value: string } }) => change({ [name]: event.target.value }),
  });
  return (
    <Dialog
      open
      sheet
      onClose={onClose}
      title="Close a time"
      actions={
        <>
          <Button busy={closing.busy} onClick={() => (wrong ? undefined : closing.run(wish))}>
            Close it to clients
          </Button>
          <Button variant="secondary" onClick={onClose}>
            Leave it open
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <TextField label="Day" type="date" error={wrong} {...input('date')} />
        <div className="grid grid-cols-2 gap-3">
          <TextField label="From" type="time" {...input('fromTime')} />
          <TextField label="Until" type="time" {...input('toTime')} />
        </div>
        <p className="text-sm text-ink-2">Without a time it is closed from or until midnight.</p>
        {practitioners.length > 1 ? (
          <SelectField
            label="Whose time"
            name="practitionerId"
            value={wish.practitionerId}
            options={practitioners.map((one) => ({
              value: one.practitionerId,
              label: one.name,
            }))}
            onChange={(event) => change({ practitionerId: event.target.value })}
          />
        ) : null}
        <CommandNotice error={closing.error} notSure={closing.notSure} onCheck={onCheck} />
        {isTaken ? <InTheWay wish={wish} onDialog={instead} /> : null}
      </div>
    </Dialog>
  );
}
