/** The free starts of two weeks: first the day, then the time. */
import { Button } from '@/components/ui/button';
import { RadioGroup } from '@/components/ui/radio-group';
import { Skeleton } from '@/components/ui/skeleton';
import type { FreeDay } from '@/lib/free-days';
import { toInstant } from '@/lib/instant';
import { usePracticeZone } from '@/lib/practice';
import { describeDay, formatClock } from '@/lib/time';

type TimeChoiceProps = {
  /** Nothing while they are read. */
  days: readonly FreeDay[] | undefined;
  date: string;
  onDate: (date: string) => void;
  /** The instant that is chosen, or empty. */
  start: string;
  onStart: (start: string) => void;
  onLater: () => void;
  /** Nothing where no earlier day can be booked. */
  onEarlier?: (() => void) | undefined;
};

function dayLabel(date: string): string {
  const { weekday, day, month } = describeDay(date);
  return `${weekday} ${day} ${month}`;
}

export function TimeChoice(props: TimeChoiceProps) {
  const { days, date, onDate, start, onStart, onLater, onEarlier } = props;
  const zone = usePracticeZone();
  if (!days) return <Skeleton className="h-32 w-full rounded-card" />;
  const shown = days.find((day) => day.date === date) ?? days[0];
  const times = shown?.parts.flatMap((part) => part.times) ?? [];
  return (
    <div className="flex flex-col gap-4">
      {days.length === 0 ? <p>No time is free in these two weeks.</p> : null}
      {days.length > 0 ? (
        <RadioGroup
          legend="Day"
          name="date"
          options={days.map((day) => ({ value: day.date, label: dayLabel(day.date) }))}
          value={shown?.date}
          onChange={onDate}
        />
      ) : null}
      {shown ? (
        <RadioGroup
          legend={`Time, ${zone.label}`}
          name="start"
          options={times.map(({ startsAt }) => ({
            value: toInstant(startsAt),
            label: formatClock(startsAt, zone),
          }))}
          value={start}
          onChange={onStart}
        />
      ) : null}
      <div className="flex flex-wrap gap-2">
        {onEarlier ? (
          <Button size="sm" variant="quiet" onClick={onEarlier}>
            Earlier days
          </Button>
        ) : null}
        <Button size="sm" variant="quiet" onClick={onLater}>
          Later days
        </Button>
      </div>
    </div>
  );
}
