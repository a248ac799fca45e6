/** Where no session of a day is left, or none was there: says so, and when the next ones are. */
import { AppLink } from '@/components/ui/app-link';
import { Card } from '@/components/ui/card';
import { usePracticeZone } from '@/lib/practice';
import { formatClock, formatShortDate, localDate } from '@/lib/time';
import { LESS_LIVE } from '../hooks/desk-keys';
import { useBookings } from '../hooks/use-bookings';
import { type ReadRow, rowsWith, sessionRows } from '../model/day';
import { dayWord, nextSessions } from '../model/day-end';

/** How far it looks for the next session. */
const AHEAD_DAYS = 31;

type DayEndProps = {
  date: string;
  isToday: boolean;
  now: number;
  /** All that is there on this day now. */
  rows: readonly ReadRow[];
  /** Whose sessions are shown; empty for all. */
  practitionerId: string;
};

function Next({ date, now, practitionerId }: DayEndProps) {
  const zone = usePracticeZone();
  const { data } = useBookings({ fromDate: date, days: AHEAD_DAYS }, LESS_LIVE);
  if (!data) return null;
  const rows = rowsWith(sessionRows(data.bookings), practitionerId);
  const [next, ...others] = nextSessions(rows, { date, now, timeZone: zone.timeZone });
  if (!next) {
    return <p className="text-ink-2">Nor is anything in the {AHEAD_DAYS} days from then on.</p>;
  }
  const { startsAt } = next;
  return (
    <>
      <AppLink
        to={`/desk/day/${localDate(startsAt, zone.timeZone)}`}
        className="inline-flex min-h-11 items-center self-start text-brand underline numeric"
      >
        Next: {formatShortDate(startsAt, zone)}, {formatClock(startsAt, zone)}.
      </AppLink>
      {others.length > 0 ? (
        <p className="text-ink-2">{others.length + 1} sessions are booked on that day.</p>
      ) : null}
    </>
  );
}

export function DayEnd(props: DayEndProps) {
  const word = dayWord(props);
  if (!word) return null;
  return (
    <Card className="flex flex-col gap-1">
      <p className="font-semibold">{word}</p>
      <Next {...props} />
    </Card>
  );
}
