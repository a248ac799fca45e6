import { useEffect, useId, useRef } from 'react';
import { Skeleton } from '@/components/ui/skeleton';
import type { SlotDay } from '@/gen/booking/v1/booking_service_pb';
import { describeDay, formatCalendarDate } from '@/lib/time';
import type { Schedule } from '../hooks/use-schedule';
import { hasFree, startsOf } from '../slots';

const DAY =
  'flex min-h-22 w-17 shrink-0 cursor-pointer sm:w-full flex-col items-center justify-center rounded-card ' +
  'border border-control bg-surface px-1 py-2 text-center leading-tight numeric ' +
  'transition-colors duration-150 hover:border-brand peer-checked:border-brand ' +
  'peer-checked:bg-brand peer-checked:text-on-brand peer-focus-visible:outline-2 ' +
  'peer-focus-visible:outline-offset-2 peer-focus-visible:outline-focus ' +
  'peer-disabled:cursor-not-allowed peer-disabled:border-hairline peer-disabled:bg-sunken ' +
  'peer-disabled:text-ink-2';

const RESTING = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

function stateOf(day: SlotDay): string {
  if (day.closed) return 'Closed';
  const starts = startsOf(day);
  const free = starts.filter((start) => start.available).length;
  if (free > 0) return `${free} free`;
  return starts.length > 0 ? 'Full' : 'None left';
}

type DayProps = { day: SlotDay; name: string; chosen: boolean; onChoose: (date: string) => void };

function Day({ day, name, chosen, onChoose }: DayProps) {
  const words = describeDay(day.date);
  const state = stateOf(day);
  return (
    <label className="relative snap-start sm:flex-1" data-chosen={chosen || undefined}>
      <input
        type="radio"
        name={name}
        value={day.date}
        checked={chosen}
        disabled={!hasFree(day)}
        onChange={() => onChoose(day.date)}
        aria-label={`${formatCalendarDate(day.date)}, ${state}`}
        className="peer absolute inset-0 m-0 size-full cursor-pointer appearance-none opacity-0 disabled:cursor-not-allowed"
      />
      <span className={DAY}>
        <span className="text-sm">{words.weekday}</span>
        <span className="text-lg leading-tight font-semibold">{words.day}</span>
        <span className="text-xs">{words.month}</span>
        <span className="mt-0.5 text-xs">{state}</span>
      </span>
    </label>
  );
}

type ArrowProps = { label: string; path: string; to: string | undefined; go: (d: string) => void };

function WeekArrow({ label, path, to, go }: ArrowProps) {
  return (
    <button
      type="button"
      aria-label={label}
      disabled={!to}
      onClick={() => to && go(to)}
      className="grid size-11 place-items-center rounded-full text-brand hover:bg-brand-soft disabled:text-control disabled:hover:bg-transparent"
    >
      <svg viewBox="0 0 20 20" aria-hidden="true" className="size-5">
        <path
          d={path}
          fill="none"
          stroke="currentColor"
          strokeWidth="2"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
    </button>
  );
}

/** Seven days that can be swiped, scrolled or walked through with the arrow keys. */
export function DayStrip({ schedule }: { schedule: Schedule }) {
  const { days, date, chooseDate, previousWeek, nextWeek } = schedule;
  const name = useId();
  const row = useRef<HTMLDivElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: moves when another day is chosen.
  useEffect(() => {
    const chosen = row.current?.querySelector<HTMLElement>('[data-chosen]');
    if (!chosen || !row.current) return;
    const centred = chosen.offsetLeft - (row.current.clientWidth - chosen.offsetWidth) / 2;
    row.current.scrollTo?.({ left: centred });
  }, [date, days]);

  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">Day</legend>
      <div className="mb-2 flex items-center justify-between gap-2">
        <p className="font-semibold">{date ? formatCalendarDate(date) : 'Choose a day'}</p>
        <div className="flex">
          <WeekArrow label="Earlier days" path="M12 5l-5 5 5 5" to={previousWeek} go={chooseDate} />
          <WeekArrow label="Later days" path="M8 5l5 5-5 5" to={nextWeek} go={chooseDate} />
        </div>
      </div>
      <div
        ref={row}
        className="relative -mx-2 flex snap-x gap-2 overflow-x-auto scroll-px-2 px-2 pt-1 pb-3"
      >
        {days
          ? days.map((day) => (
              <Day
                key={day.date}
                day={day}
                name={name}
                chosen={day.date === date}
                onChoose={chooseDate}
              />
            ))
          : RESTING.map((key) => (
              <Skeleton key={key} className="h-22 w-17 shrink-0 rounded-card sm:w-auto sm:flex-1" />
            ))}
      </div>
    </fieldset>
  );
}
