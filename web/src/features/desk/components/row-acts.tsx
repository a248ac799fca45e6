/** What a tap on a session opens, on each screen: its sheet, and from there a dialog for what takes one. */
import { type ReactNode, useState } from 'react';
import type { Attendance } from '@/gen/booking/v1/booking_staff_service_pb';
import { useDeskNews } from '../hooks/use-bookings';
import { useMarking } from '../hooks/use-marking';
import type { ReadRow, SessionRow } from '../model/day';
import { CommandNotice } from './command-notice';
import { LazyRowDialog, useRowDialogs } from './lazy-row-dialog';
import { SessionSheet } from './session-sheet';

export type SheetDialog = 'sheet' | 'cancel' | 'refund' | 'desk-payment';

type Open = { key: string; what: SheetDialog };

type RowActsProps = {
  rows: readonly ReadRow[];
  now: number;
  /** Something was done here: what comes next is shown at once. */
  onOwnAct: () => void;
};

export type RowActs = {
  open: (row: SessionRow) => void;
  /** Opens a dialog without its sheet. */
  openDialog: (row: SessionRow, what: SheetDialog) => void;
  mark: (row: SessionRow, attendance: Attendance) => void;
  busy: boolean;
  /** What became of a mark, where no sheet says it. */
  notice: ReactNode;
  dialogs: ReactNode;
};

function isOpened(row: ReadRow, open: Open | undefined): row is SessionRow {
  return row.kind !== 'closed' && row.key === open?.key;
}

export function useRowActs({ rows, now, onOwnAct }: RowActsProps): RowActs {
  const [open, setOpen] = useState<Open>();
  const { refresh } = useDeskNews();
  const close = () => setOpen(undefined);
  const done = () => {
    onOwnAct();
    close();
  };
  const marking = useMarking(done);
  useRowDialogs(open !== undefined);
  const row = rows.find((one): one is SessionRow => isOpened(one, open));
  const mark = (of: SessionRow, attendance: Attendance) => marking.run({ row: of, attendance });

  function check() {
    marking.reset();
    onOwnAct();
    void refresh();
  }

  const shared = { now, onCheck: check, onClose: done };
  return {
    open: (of) => setOpen({ key: of.key, what: 'sheet' }),
    openDialog: (of, what) => setOpen({ key: of.key, what }),
    mark,
    busy: marking.busy,
    notice: open ? null : (
      <CommandNotice error={marking.error} notSure={marking.notSure} onCheck={check} />
    ),
    dialogs: row ? (
      <>
        {open?.what === 'sheet' ? (
          <SessionSheet
            {...shared}
            row={row}
            marking={marking}
            onMark={mark}
            onDialog={(what) => setOpen({ key: row.key, what })}
          />
        ) : null}
        {open && open.what !== 'sheet' ? (
          <LazyRowDialog {...shared} what={open.what} row={row} />
        ) : null}
      </>
    ) : null,
  };
}
