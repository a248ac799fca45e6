/** What a tap on a session opens, on each screen: its sheet, and from there a dialog for what takes one. */
import { type ReactNode, useState } from 'react';
import type { Attendance } from '@/gen/booking/v1/booking_staff_service_pb';
import { useDeskNews } from '../hooks/use-bookings';
import { useMarking } from '../hooks/use-marking';
import type { ActDialog } from '../model/acts';
import type { ReadRow, SessionRow } from '../model/day';
import { CommandNotice } from './command-notice';
import { LazyRowDialog, useRowDialogs } from './lazy-row-dialog';
import { SessionSheet } from './session-sheet';

/** The row as it was pressed: one whose session is moved meanwhile is gone from the list. */
type Open = { row: SessionRow; what: 'sheet' | ActDialog };

type RowActsProps = {
  rows: readonly ReadRow[];
  now: number;
  /** Something was done here: what comes next is shown at once. */
  onOwnAct: () => void;
};

export type RowActs = {
  open: (row: SessionRow) => void;
  /** Opens a dialog without its sheet. */
  openDialog: (row: SessionRow, what: ActDialog) => void;
  mark: (row: SessionRow, attendance: Attendance) => void;
  busy: boolean;
  /** What became of a mark, where no sheet says it. */
  notice: ReactNode;
  dialogs: ReactNode;
};

/** Dialogs that say what became of their session also where it has left its time. */
const STAYS: readonly Open['what'][] = ['move', 'ask-time'];

function isOpened(row: ReadRow, open: Open | undefined): row is SessionRow {
  return row.kind !== 'closed' && row.key === open?.row.key;
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
  const listed = rows.find((one): one is SessionRow => isOpened(one, open));
  const row = open && STAYS.includes(open.what) ? open.row : listed;
  const mark = (of: SessionRow, attendance: Attendance) => marking.run({ row: of, attendance });

  function check() {
    marking.reset();
    onOwnAct();
    void refresh();
  }

  const dialog = open && open.what !== 'sheet' ? open.what : undefined;
  const shared = { now, onCheck: check, onClose: done };
  return {
    open: (of) => setOpen({ row: of, what: 'sheet' }),
    openDialog: (of, what) => setOpen({ row: of, what }),
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
            onDialog={(what) => setOpen({ row, what })}
          />
        ) : null}
        {dialog ? <LazyRowDialog {...shared} what={dialog} row={row} /> : null}
      </>
    ) : null,
  };
}
