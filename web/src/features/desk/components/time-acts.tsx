/** What is done with times in which no session lies: book, close, open again. */
import { type ReactNode, useState } from 'react';
import { AppLink } from '@/components/ui/app-link';
import { toInstant } from '@/lib/instant';
import { usePractice, usePracticeZone } from '@/lib/practice';
import { formatClock } from '@/lib/time';
import { useDeskNews } from '../hooks/use-bookings';
import { useClosing } from '../hooks/use-closing';
import { type Closing, closingOfSpan } from '../model/closing';
import type { ClosedRow, GapRow } from '../model/day';
import { CloseDialog } from './close-dialog';
import { CommandNotice } from './command-notice';
import type { OpenDialog } from './in-the-way';

export type TimeActs = {
  /** Of a free time: book in it, or close it. */
  gap: (row: GapRow, practitionerId: string) => ReactNode;
  /** Of a closed time: open it again; of one that is offered: take it back. */
  closed: (row: ClosedRow) => ReactNode;
  /** Asks which part of a day is closed. */
  closeDay: (date: string, practitionerId: string) => void;
  notice: ReactNode;
  dialog: ReactNode;
};

const ACT =
  'inline-flex min-h-11 items-center rounded-full px-3 text-sm font-semibold text-brand ' +
  'no-underline hover:bg-brand-soft';

type ReopenProps = { row: ClosedRow; disabled: boolean; onSure: () => void };

/** Opens a closed time again, or ends an offer: that has no Undo, so that the second press does it. */
function Reopen({ row: { block, startsAt }, disabled, onSure }: ReopenProps) {
  const zone = usePracticeZone();
  const [asked, setAsked] = useState(false);
  const isOffer = block.offeredUntilAt !== undefined;
  const offerWord = asked ? 'End the offer' : 'Take it back';
  const word = isOffer ? offerWord : 'Open again';
  return (
    <button
      type="button"
      aria-label={`${word} from ${formatClock(startsAt, zone)}`}
      disabled={disabled}
      className={ACT}
      onClick={() => (isOffer && !asked ? setAsked(true) : onSure())}
    >
      {word}
    </button>
  );
}

type TimeActsProps = {
  onDone?: () => void;
  /** Opens a dialog about a session that lies in a time that is to be closed. */
  onDialog: OpenDialog;
};

export function useTimeActs({ onDone = () => {}, onDialog }: TimeActsProps): TimeActs {
  const { practitioners } = usePractice();
  const zone = usePracticeZone();
  const { timeZone } = zone;
  const { refresh } = useDeskNews();
  const [asked, setAsked] = useState<Closing>();
  const close = () => setAsked(undefined);
  const { closing, opening } = useClosing(() => {
    close();
    onDone();
  });
  const first = practitioners[0]?.practitionerId ?? '';

  function check() {
    closing.reset();
    opening.reset();
    onDone();
    void refresh();
  }

  return {
    gap: (row, practitionerId) => (
      <span className="flex">
        <AppLink
          to={`/desk/new?start=${toInstant(row.startsAt)}`}
          aria-label={`Book at ${formatClock(row.startsAt, zone)}`}
          className={ACT}
        >
          Book
        </AppLink>
        <button
          type="button"
          aria-label={`Close from ${formatClock(row.startsAt, zone)}`}
          className={ACT}
          onClick={() => setAsked(closingOfSpan(row, timeZone, practitionerId || first))}
        >
          Close
        </button>
      </span>
    ),
    closed: (row) => (
      <Reopen
        row={row}
        disabled={row.gone === true || opening.busy}
        onSure={() => opening.run(row.block)}
      />
    ),
    closeDay: (date, practitionerId) =>
      setAsked({ date, fromTime: '', toTime: '', practitionerId: practitionerId || first }),
    notice: asked ? null : (
      <CommandNotice
        error={closing.error ?? opening.error}
        notSure={closing.notSure || opening.notSure}
        onCheck={check}
      />
    ),
    dialog: asked ? (
      <CloseDialog
        key={`${asked.date}/${asked.fromTime}`}
        initial={asked}
        closing={closing}
        onCheck={check}
        onClose={close}
        onDialog={onDialog}
      />
    ) : null,
  };
}
