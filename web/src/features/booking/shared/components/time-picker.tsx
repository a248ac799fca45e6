import { useId } from 'react';
import { FieldError } from '@/components/ui/field';
import { RadioGroup } from '@/components/ui/radio-group';
import { Skeleton } from '@/components/ui/skeleton';
import { formatOwnTime, formatTime, type Zone } from '@/lib/time';
import type { Schedule } from '../hooks/use-schedule';
import { groupStarts, type Start } from '../slots';

type TimePickerProps = {
  schedule: Schedule;
  chosen: string;
  /** The starts that this customer holds already. */
  own: readonly string[];
  /** In another zone the visitor's own time is shown beside it. */
  showOwnTime: boolean;
  error?: string | undefined;
  /** The start that a session has which is to be moved: it is no choice. */
  current?: string;
};

type Marks = Pick<TimePickerProps, 'own' | 'showOwnTime' | 'current'>;

function noteOf({ instant, at, available }: Start, zone: Zone, marks: Marks): string | undefined {
  if (instant === marks.current) return 'Your time now';
  if (marks.own.includes(instant)) return 'Kept for you';
  if (!available) return 'Taken';
  return marks.showOwnTime ? formatOwnTime(at, zone) : undefined;
}

function toOption(start: Start, zone: Zone, marks: Marks) {
  const { instant, at, available } = start;
  return {
    value: instant,
    label: formatTime(at, zone),
    note: noteOf(start, zone, marks),
    disabled: instant === marks.current || (!available && !marks.own.includes(instant)),
  };
}

function TimesSkeleton() {
  return (
    <div className="flex flex-wrap gap-2" aria-busy="true">
      <span className="sr-only">Loading times…</span>
      {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
        <Skeleton key={key} className="h-11 w-34 rounded-full" />
      ))}
    </div>
  );
}

/** The starts of the chosen day as chips, by the part of the day. */
export function TimePicker({ schedule, chosen, error, ...marks }: TimePickerProps) {
  const { starts, zone, days, date } = schedule;
  const id = useId();
  if (!days) return <TimesSkeleton />;
  const groups = groupStarts(starts, zone);
  return (
    <div className="flex flex-col gap-4" data-testid="times">
      {groups.length === 0 && date ? (
        <p className="text-ink-2">There are no times on this day. Please choose another day.</p>
      ) : null}
      {groups.map((group) => (
        <RadioGroup
          key={group.name}
          legend={group.name}
          name={`${id}-time`}
          value={chosen}
          onChange={schedule.chooseTime}
          options={group.starts.map((start) => toOption(start, zone, marks))}
        />
      ))}
      <FieldError id={id} error={error} />
    </div>
  );
}
