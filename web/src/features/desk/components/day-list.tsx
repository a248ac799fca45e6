/** The rows of a day in the order of their times. */
import type { ReactNode } from 'react';
import { Badge, type BadgeTone } from '@/components/ui/badge';
import { SessionMode } from '@/gen/booking/v1/booking_service_pb';
import { Attendance, type BlockedTime } from '@/gen/booking/v1/booking_staff_service_pb';
import { classes } from '@/lib/classes';
import { serverNow } from '@/lib/clock';
import { usePracticeZone } from '@/lib/practice';
import { formatClock, toDate, type Zone } from '@/lib/time';
import type { ClosedRow, DayRow, GapRow, SessionRow } from '../model/day';
import { askedToMoveWords } from '../model/move-proposal';
import {
  clientName,
  clientNote,
  isClaimed,
  lateWords,
  markOf,
  markWord,
  paymentWord,
  sessionTitle,
} from '../model/staff-booking';
import { clockWords, timeWords } from '../model/time-words';
import type { TimeActs } from './time-acts';

type Span = { startsAt: Date; endsAt: Date };

function Times({ span: { startsAt, endsAt } }: { span: Span }) {
  const zone = usePracticeZone();
  return (
    <span className="flex w-20 shrink-0 flex-col text-sm leading-snug numeric">
      <span className="font-semibold">{formatClock(startsAt, zone)}</span>
      <span className="text-ink-2">{formatClock(endsAt, zone)}</span>
    </span>
  );
}

const MARK_TONES: Partial<Record<Attendance, BadgeTone>> = {
  [Attendance.CAME]: 'ok',
  [Attendance.LATE]: 'warn',
  [Attendance.NO_SHOW]: 'clay',
};

function HoldWords({ row: { booking } }: { row: SessionRow }) {
  const zone = usePracticeZone();
  if (isClaimed(booking)) return <Badge tone="warn">Client says it is paid</Badge>;
  const until = booking.heldUntilAt && toDate(booking.heldUntilAt);
  return (
    <span className="text-sm leading-snug font-semibold text-ink-2 numeric">
      {until ? `Held until ${timeWords(until, zone)}` : 'Held'}
    </span>
  );
}

function SessionWords({ row: { staff, booking, number } }: { row: SessionRow }) {
  const zone = usePracticeZone();
  const mark = markOf(staff, number);
  const late = lateWords(booking, number, zone);
  const asked = askedToMoveWords(booking, number, zone);
  return (
    <>
      {asked ? <Badge tone="warn">{asked}</Badge> : null}
      {late ? <Badge tone="warn">{late}</Badge> : null}
      <Badge tone="neutral">
        {booking.mode === SessionMode.IN_PERSON ? 'In person' : 'Online'}
      </Badge>
      <Badge tone={staff.confirmedOnClaim ? 'warn' : 'neutral'}>{paymentWord(staff)}</Badge>
      {markWord(mark) ? <Badge tone={MARK_TONES[mark] ?? 'neutral'}>{markWord(mark)}</Badge> : null}
      {clientNote(booking) ? <Badge tone="plum">Has a note</Badge> : null}
    </>
  );
}

type PressProps<Row> = { row: Row; onPress: (row: Row) => void };

function SessionLine({ row, onPress, withWhom }: PressProps<SessionRow> & { withWhom: boolean }) {
  const { booking, number, gone } = row;
  return (
    <button
      type="button"
      data-row=""
      disabled={gone}
      onClick={() => onPress(row)}
      className={classes(
        'flex w-full gap-3 rounded-card border p-4 text-left hover:border-brand',
        row.kind === 'hold'
          ? 'border-dashed border-control bg-sunken'
          : 'border-hairline bg-surface shadow-soft',
        gone && 'opacity-60',
      )}
    >
      <Times span={row} />
      <span className="flex min-w-0 flex-1 flex-col gap-1.5">
        <span className="font-semibold" dir="auto">
          {clientName(booking)}
        </span>
        <span className="text-sm leading-snug text-ink-2">
          {sessionTitle(booking, number)}
          {withWhom ? ` · with ${booking.practitionerName}` : ''}
        </span>
        <span className="flex flex-wrap gap-1.5">
          {gone ? <Badge tone="clay">Not here any more</Badge> : null}
          {row.kind === 'hold' ? <HoldWords row={row} /> : <SessionWords row={row} />}
        </span>
      </span>
    </button>
  );
}

/** A time that staff closed, or one that is held for a client on the wait list. */
function closedWords({ offeredUntilAt }: BlockedTime, zone: Zone): string {
  if (!offeredUntilAt) return 'Closed';
  const until = clockWords(toDate(offeredUntilAt), serverNow(), zone);
  return `Offered to a client on the wait list until ${until}`;
}

function ClosedLine({ row, withWhom, children }: ClosedLineProps) {
  const zone = usePracticeZone();
  return (
    <div className="flex items-center gap-3 rounded-card border border-hairline bg-sunken p-4">
      <Times span={row} />
      <span className="min-w-0 flex-1 font-semibold text-ink-2">
        {closedWords(row.block, zone)}
        {withWhom ? ` · ${row.block.practitionerName}` : ''}
      </span>
      {children}
    </div>
  );
}

type ClosedLineProps = { row: ClosedRow; withWhom: boolean; children?: ReactNode };

function GapLine({ row: { startsAt, endsAt }, children }: { row: GapRow; children: ReactNode }) {
  const zone = usePracticeZone();
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-3 px-4 text-sm text-ink-2">
      <p className="numeric">
        Free {formatClock(startsAt, zone)} – {formatClock(endsAt, zone)}
      </p>
      {children}
    </div>
  );
}

type DayListProps = {
  rows: readonly DayRow[];
  /** Says with whom a session is, where several give sessions. */
  withWhom: boolean;
  /** Whose time is closed where a free one is; empty for the practice's first practitioner. */
  practitionerId: string;
  times: TimeActs;
  onPress: (row: SessionRow) => void;
};

export function DayList({ rows, withWhom, practitionerId, times, onPress }: DayListProps) {
  return (
    <ul className="flex flex-col gap-2.5">
      {rows.map((row) => (
        <li key={row.key}>
          {row.kind === 'gap' ? (
            <GapLine row={row}>{times.gap(row, practitionerId)}</GapLine>
          ) : null}
          {row.kind === 'closed' ? (
            <ClosedLine row={row} withWhom={withWhom}>
              {times.closed(row)}
            </ClosedLine>
          ) : null}
          {row.kind === 'session' || row.kind === 'hold' ? (
            <SessionLine row={row} withWhom={withWhom} onPress={onPress} />
          ) : null}
        </li>
      ))}
    </ul>
  );
}
