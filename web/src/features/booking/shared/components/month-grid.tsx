import { type CalendarDate, endOfMonth, parseDate, startOfMonth } from '@internationalized/date';
import { useState } from 'react';
import {
  Button,
  Calendar,
  CalendarCell,
  CalendarGrid,
  CalendarGridBody,
  CalendarGridHeader,
  CalendarHeaderCell,
  Heading,
  I18nProvider,
} from 'react-aria-components';
import { ErrorNotice } from '@/components/ui/error-notice';
import { allowStrictPolicy } from '../calendar-policy';
import type { Schedule } from '../hooks/use-schedule';
import { useSlots } from '../hooks/use-slots';
import { daysBetween, hasFree } from '../slots';

allowStrictPolicy();

const ARROW =
  'grid size-11 place-items-center rounded-full text-brand hover:bg-brand-soft ' +
  'disabled:text-control outline-none data-[focus-visible]:outline-2 ' +
  'data-[focus-visible]:outline-focus';

const CELL =
  'mx-auto grid aspect-square w-full max-w-11 cursor-pointer touch-manipulation place-items-center rounded-full numeric ' +
  'outline-none ' +
  'hover:bg-brand-soft data-[focus-visible]:outline-2 data-[focus-visible]:outline-offset-2 ' +
  'data-[focus-visible]:outline-focus data-[selected]:bg-brand data-[selected]:text-on-brand ' +
  'data-[selected]:font-semibold data-[disabled]:cursor-not-allowed data-[disabled]:text-control ' +
  'data-[disabled]:hover:bg-transparent data-[unavailable]:cursor-not-allowed ' +
  'data-[unavailable]:text-ink-2 data-[unavailable]:line-through ' +
  'data-[unavailable]:hover:bg-transparent data-[outside-month]:invisible';

function earlier(a: string, b: string): string {
  return a < b ? a : b;
}

/** What to ask for a month: from today at the earliest, to the last day that can be booked. */
function rangeOf(month: CalendarDate, today: string, lastDate: string) {
  const first = startOfMonth(month).toString();
  const fromDate = first < today ? today : first;
  const last = earlier(endOfMonth(month).toString(), lastDate || '9999-12-31');
  return last < fromDate ? undefined : { fromDate, days: daysBetween(fromDate, last) + 1 };
}

function Arrow({ slot, label, path }: { slot: 'previous' | 'next'; label: string; path: string }) {
  return (
    <Button slot={slot} aria-label={label} className={ARROW}>
      <svg viewBox="0 0 20 20" aria-hidden="true" className="size-5">
        <path d={path} fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
      </svg>
    </Button>
  );
}

type MonthGridProps = {
  schedule: Schedule;
  onChosen: (date: string) => void;
};

/** A month in which past, closed and full days cannot be chosen. */
export default function MonthGrid({ schedule, onChosen }: MonthGridProps) {
  const { whose, source, today, lastDate, date } = schedule;
  const [month, setMonth] = useState(() => parseDate(date || today));
  const range = rangeOf(month, today, lastDate);
  const slots = useSlots(range ? { ...whose, ...range } : undefined, source);
  const byDate = new Map(slots.data?.days.map((day) => [day.date, day]));

  return (
    <I18nProvider locale="en-IN">
      <div className="w-full max-w-90 rounded-card bg-sunken p-2 sm:p-4">
        <Calendar
          aria-label="Date of the session"
          value={date ? parseDate(date) : null}
          minValue={parseDate(today)}
          maxValue={lastDate ? parseDate(lastDate) : undefined}
          focusedValue={month}
          onFocusChange={(next) => setMonth(parseDate(next.toString()))}
          onChange={(next) => onChosen(next.toString())}
          isDateUnavailable={(at) => {
            const day = byDate.get(at.toString());
            return day !== undefined && !hasFree(day);
          }}
        >
          <header className="mb-2 flex items-center justify-between">
            <Arrow slot="previous" label="Month before" path="M12 5l-5 5 5 5" />
            <Heading className="text-base" />
            <Arrow slot="next" label="Month after" path="M8 5l5 5-5 5" />
          </header>
          <CalendarGrid className="w-full table-fixed">
            <CalendarGridHeader>
              {(day) => (
                <CalendarHeaderCell className="h-9 text-center text-sm font-semibold text-ink-2">
                  {day}
                </CalendarHeaderCell>
              )}
            </CalendarGridHeader>
            <CalendarGridBody>
              {(at) => <CalendarCell date={at} className={CELL} />}
            </CalendarGridBody>
          </CalendarGrid>
        </Calendar>
        <p className="mt-2 text-sm text-ink-2">Struck-through days are closed or full.</p>
        {slots.error ? (
          <ErrorNotice error={slots.error} onRetry={() => void slots.refetch()} className="mt-3" />
        ) : null}
      </div>
    </I18nProvider>
  );
}
