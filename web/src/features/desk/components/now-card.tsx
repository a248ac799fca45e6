/** What is now or next, with the one act that fits the moment. */
import { Button } from '@/components/ui/button';
import { SessionMode } from '@/gen/booking/v1/booking_service_pb';
import { Attendance } from '@/gen/booking/v1/booking_staff_service_pb';
import { usePracticeZone } from '@/lib/practice';
import { formatTimeRange } from '@/lib/time';
import { useJoinRoom } from '../hooks/use-join-room';
import type { SessionRow } from '../model/day';
import { askedToMoveWords, isAskedToMove } from '../model/move-proposal';
import { type NextUp, untilWords } from '../model/next-up';
import { clientName, lateWords, sessionTitle } from '../model/staff-booking';

type NowCardProps = {
  next: NextUp;
  now: number;
  busy: boolean;
  onMark: (row: SessionRow, attendance: Attendance) => void;
  onOpen: (row: SessionRow) => void;
};

/** To the room; to the session's page while there is none. */
function Join({ bookingId }: { bookingId: string }) {
  const room = useJoinRoom(bookingId);
  if (!room) {
    return (
      <Button size="lg" block to={`/join/${bookingId}`}>
        Open the session's page
      </Button>
    );
  }
  return (
    <Button size="lg" block href={room} target="_blank" rel="noopener noreferrer">
      Join
    </Button>
  );
}

function Acts({ next: { row, act }, busy, onMark, onOpen }: NowCardProps) {
  const { booking } = row;
  const first = booking.contact?.firstName || 'the client';
  if (act === 'join') return <Join bookingId={booking.bookingId} />;
  if (act === 'mark') {
    return (
      <div className="grid grid-cols-2 gap-3">
        <Button size="lg" busy={busy} onClick={() => onMark(row, Attendance.CAME)}>
          {first} came
        </Button>
        {isAskedToMove(booking, row.number) ? null : (
          <Button
            size="lg"
            variant="secondary"
            busy={busy}
            onClick={() => onMark(row, Attendance.NO_SHOW)}
          >
            Did not come
          </Button>
        )}
      </div>
    );
  }
  if (act === 'call') {
    return (
      <Button size="lg" block variant="secondary" href={`tel:${booking.contact?.phone}`}>
        Call {first}
      </Button>
    );
  }
  return (
    <Button size="lg" block variant="secondary" onClick={() => onOpen(row)}>
      Open
    </Button>
  );
}

function momentWords({ moment, row }: NextUp, now: number): string {
  if (moment === 'now') return 'Now';
  if (moment === 'unmarked') return 'Did the client come?';
  return `Next · ${untilWords(row.startsAt, now)}`;
}

export function NowCard(props: NowCardProps) {
  const { next, now } = props;
  const { row } = next;
  const { booking, number, startsAt, endsAt } = row;
  const zone = usePracticeZone();
  const place = booking.mode === SessionMode.IN_PERSON ? 'in person' : 'online';
  const late = lateWords(booking, number, zone);
  const asked = askedToMoveWords(booking, number, zone);
  return (
    <section
      aria-label="Now and next"
      className="flex flex-col gap-4 rounded-card border border-hairline bg-brand-soft p-5"
    >
      <div className="flex flex-col gap-1">
        <p className="text-sm font-semibold text-brand">{momentWords(next, now)}</p>
        <p className="text-h3 font-display" dir="auto">
          {clientName(booking)}
        </p>
        <p className="numeric">
          {formatTimeRange(startsAt, endsAt, zone)} · {sessionTitle(booking, number)} · {place}
        </p>
        {asked ? <p className="font-semibold numeric">{asked}</p> : null}
        {late ? <p className="font-semibold numeric">{late}</p> : null}
      </div>
      <Acts {...props} />
    </section>
  );
}
