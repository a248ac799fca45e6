/** /desk/calendar: a day with a column for each person, or a week. On a phone one list below the other. */
import { Button } from '@/components/ui/button';
import { PageHeading } from '@/components/ui/page-heading';
import { RadioGroup } from '@/components/ui/radio-group';
import { Skeleton } from '@/components/ui/skeleton';
import type { Practitioner } from '@/gen/catalogue/v1/catalogue_service_pb';
import { classes } from '@/lib/classes';
import { usePractice, usePracticeZone } from '@/lib/practice';
import { formatCalendarDate, localDate } from '@/lib/time';
import { usePageTitle } from '@/lib/use-page-title';
import { useServerNow } from '@/lib/use-server-now';
import { type UrlMoves, useUrlState } from '@/lib/use-url-state';
import { useDays } from '../hooks/use-days';
import {
  type CalendarUrl,
  datesOf,
  parseCalendar,
  stepFrom,
  writeCalendar,
} from '../model/calendar';
import { type ReadRow, rowsWith, withGaps } from '../model/day';
import { DayList } from './day-list';
import { useRowActs } from './row-acts';
import { StaleNotice } from './stale-notice';
import { useTimeActs } from './time-acts';

const FORM = { parse: parseCalendar, write: writeCalendar };

type HeadProps = { moves: UrlMoves<CalendarUrl>; date: string; today: string };

function Head({ moves: { url, push, replace }, date, today }: HeadProps) {
  const { practitioners } = usePractice();
  const { view } = url;
  return (
    <div className="flex flex-col gap-4">
      <PageHeading className="[&_h1]:text-h2">Calendar</PageHeading>
      <div className="flex flex-wrap items-center gap-2">
        <RadioGroup
          legend="What is shown"
          legendHidden
          name="view"
          options={[
            { value: 'day', label: 'Day' },
            { value: 'week', label: 'Week' },
          ]}
          value={view}
          onChange={(value) => replace({ view: value === 'week' ? 'week' : 'day' })}
        />
        <div className="ml-auto flex gap-2">
          <Button
            size="sm"
            variant="secondary"
            aria-label={`The ${view} before`}
            data-step="before"
            onClick={() => push({ date: stepFrom(view, date, -1) })}
          >
            ‹
          </Button>
          <Button size="sm" variant="quiet" onClick={() => push({ date: '' })}>
            {date === today ? 'Today' : 'To today'}
          </Button>
          <Button
            size="sm"
            variant="secondary"
            aria-label={`The ${view} after`}
            data-step="after"
            onClick={() => push({ date: stepFrom(view, date, 1) })}
          >
            ›
          </Button>
        </div>
      </div>
      {practitioners.length > 1 ? (
        <RadioGroup
          legend="Whose calendar"
          legendHidden
          name="who"
          options={[
            { value: '', label: 'All' },
            ...practitioners.map((one) => ({ value: one.practitionerId, label: one.name })),
          ]}
          value={url.who}
          onChange={(who) => replace({ who })}
        />
      ) : null}
    </div>
  );
}

type Column = { key: string; title: string; date: string; who: string; rows: ReadRow[] };

type ColumnsProps = {
  days: ReadonlyMap<string, ReadRow[]>;
  practitioners: readonly Practitioner[];
  url: CalendarUrl;
};

/** A day has a column for each person, a week one for each day. */
function columnsOf({ days, practitioners, url: { view, who } }: ColumnsProps): Column[] {
  const people = practitioners.filter(({ practitionerId: id }) => who === '' || who === id);
  if (view === 'day' && people.length > 1) {
    return [...days].flatMap(([date, rows]) =>
      people.map(({ practitionerId, name }) => ({
        key: practitionerId,
        title: name,
        date,
        who: practitionerId,
        rows: rowsWith(rows, practitionerId),
      })),
    );
  }
  return [...days].map(([date, rows]) => ({
    key: date,
    title: formatCalendarDate(date),
    date,
    who,
    rows: rowsWith(rows, who),
  }));
}

export function CalendarScreen() {
  const { practitioners } = usePractice();
  const { timeZone } = usePracticeZone();
  const now = useServerNow();
  const today = localDate(new Date(now), timeZone);
  const moves = useUrlState(FORM);
  const { url } = moves;
  const date = url.date || today;
  const { bookings, blocked, byDate, isRead } = useDays(datesOf(url.view, date));
  const columns = columnsOf({ days: byDate, practitioners, url });
  const several = practitioners.length > 1;
  const acts = useRowActs({ rows: [...byDate.values()].flat(), now, onOwnAct: () => {} });
  const times = useTimeActs({ onDialog: acts.openDialog });
  usePageTitle('Calendar');

  return (
    <div className="flex flex-col gap-5">
      <Head moves={moves} date={date} today={today} />
      <StaleNotice
        error={bookings.error ?? blocked.error}
        readAt={bookings.error ? bookings.dataUpdatedAt : blocked.dataUpdatedAt}
        what={bookings.error ? 'The sessions' : 'The closed times'}
        onRetry={() => void (bookings.error ? bookings : blocked).refetch()}
      />
      {acts.notice}
      {times.notice}
      {!isRead && !bookings.error ? <Skeleton className="h-72 w-full rounded-card" /> : null}
      {isRead ? (
        <div
          className={classes(
            'grid gap-6',
            columns.length > 1 && 'lg:grid-cols-[repeat(auto-fit,minmax(15rem,1fr))] lg:gap-4',
          )}
        >
          {columns.map((column) => (
            <section key={column.key} aria-label={column.title} className="flex flex-col gap-2.5">
              <h2 className="text-base font-semibold">{column.title}</h2>
              <DayList
                rows={several && column.who === '' ? column.rows : withGaps(column.rows)}
                withWhom={several && column.who === ''}
                practitionerId={column.who}
                times={times}
                onPress={(row) => acts.open(row)}
              />
              {column.rows.length === 0 ? (
                <p className="text-sm text-ink-2">Nothing is booked.</p>
              ) : null}
              <Button
                size="sm"
                variant="quiet"
                className="self-start"
                onClick={() => times.closeDay(column.date, column.who)}
              >
                Close a time…
              </Button>
            </section>
          ))}
        </div>
      ) : null}
      {acts.dialogs}
      {times.dialog}
    </div>
  );
}
