/** The sessions that lie in a time that is to be closed, with what can be done about each. */
import { Button } from '@/components/ui/button';
import { Skeleton } from '@/components/ui/skeleton';
import { usePracticeZone } from '@/lib/practice';
import { formatClock } from '@/lib/time';
import { useServerNow } from '@/lib/use-server-now';
import { useBookings } from '../hooks/use-bookings';
import { useMember } from '../member';
import { type Act, type ActDialog, actsFor } from '../model/acts';
import { type Closing, rowsInTheWay } from '../model/closing';
import { rowsOfDay, type SessionRow } from '../model/day';
import { askedToMoveWords } from '../model/move-proposal';
import { clientName } from '../model/staff-booking';
import { StaleNotice } from './stale-notice';

/** Opens a dialog about a session in the place of the one that is open. */
export type OpenDialog = (row: SessionRow, what: ActDialog) => void;

type InTheWayProps = { wish: Closing; onDialog: OpenDialog };

const ACTS: readonly (readonly [Act & ActDialog, string])[] = [
  ['ask-time', 'Ask for another time…'],
  ['move', 'Move…'],
];

function Row({ row, onDialog }: { row: SessionRow; onDialog: OpenDialog }) {
  const { booking, number, startsAt } = row;
  const { role } = useMember();
  const zone = usePracticeZone();
  const may = actsFor(role, row, useServerNow());
  const name = clientName(booking);
  const asked = askedToMoveWords(booking, number, zone);
  return (
    <li className="flex flex-col gap-2">
      <p className="font-semibold numeric">
        {formatClock(startsAt, zone)} · <bdi>{name}</bdi>
        {row.kind === 'hold' ? ' · not paid yet' : ''}
      </p>
      {asked ? <p className="text-sm numeric">{asked}</p> : null}
      <div className="flex flex-wrap gap-2">
        {ACTS.filter(([act]) => may.includes(act)).map(([act, label]) => (
          <Button
            key={act}
            size="sm"
            variant="secondary"
            aria-label={`${label} ${name}`}
            onClick={() => onDialog(row, act)}
          >
            {label}
          </Button>
        ))}
        <Button
          size="sm"
          variant="quiet"
          aria-label={`Open the booking of ${name}`}
          to={`/desk/bookings/${booking.bookingId}`}
        >
          Open the booking
        </Button>
      </div>
    </li>
  );
}

export function InTheWay({ wish, onDialog }: InTheWayProps) {
  const { timeZone } = usePracticeZone();
  const { data, error, dataUpdatedAt, refetch } = useBookings({ fromDate: wish.date, days: 1 });
  const read = { bookings: data?.bookings ?? [], blocks: [] };
  const rows = rowsInTheWay(rowsOfDay(read, wish.date, timeZone), wish, timeZone);
  return (
    <section aria-label="In the way" className="flex flex-col gap-3">
      <StaleNotice
        error={error}
        readAt={dataUpdatedAt}
        what="The sessions"
        onRetry={() => void refetch()}
      />
      {!data && !error ? <Skeleton className="h-20 w-full" /> : null}
      <ul className="flex flex-col gap-4">
        {rows.map((row) => (
          <Row key={row.key} row={row} onDialog={onDialog} />
        ))}
      </ul>
    </section>
  );
}
