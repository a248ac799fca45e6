import { useState } from 'react';
import { Optional } from '@/components/optional';
import { Alert } from '@/components/ui/alert';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { WaitLink } from '@/components/wait-link';
import { classes } from '@/lib/classes';
import { type FreeDay, freeDays } from '@/lib/free-days';
import { usePractice } from '@/lib/practice';
import {
  describeDay,
  formatCalendarDate,
  formatClock,
  formatOwnTime,
  formatShortDate,
  formatTime,
  toDate,
  type Zone,
} from '@/lib/time';
import { bookingSlotLink } from '../api/booking-links';
import { DAYS_SHOWN, useFreeTimes } from '../hooks/use-free-times';
import { FreeTimesSkeleton } from './free-times-skeleton';

/** Where a chosen start leads. The practitioner is left out for anyone. */
export type SlotLink = (serviceId: string, startsAt: Date, practitionerId?: string) => string;

type FreeTimesProps = {
  serviceId: string;
  /** Left out for anyone. */
  practitionerId?: string;
  slotLink?: SlotLink | undefined;
};

function DayButton({ day, chosen, onChoose }: DayButtonProps) {
  const { weekday, day: number, month } = describeDay(day.date);
  const words = day.count === 0 ? 'none free' : `${day.count} free`;
  return (
    <button
      type="button"
      aria-pressed={chosen}
      disabled={day.count === 0}
      aria-label={`${formatCalendarDate(day.date)}, ${words}`}
      onClick={onChoose}
      className={classes(
        'flex min-w-17 flex-1 snap-start flex-col items-center rounded-card border px-2 py-2.5 numeric',
        'leading-tight transition-colors duration-150',
        chosen
          ? 'border-brand bg-brand text-on-brand'
          : 'border-hairline bg-surface enabled:hover:border-brand disabled:bg-sunken disabled:text-ink-2',
      )}
    >
      <span className="text-xs">{weekday}</span>
      <span className="text-h3 font-semibold">{number}</span>
      <span className="text-xs">{day.count === 0 ? 'None' : month}</span>
    </button>
  );
}

type DayButtonProps = { day: FreeDay; chosen: boolean; onChoose: () => void };

type LinkOf = (startsAt: Date) => string;

/** A visitor in another zone chooses by the own clock as well. */
function OwnLine({ at, zone }: { at: Date; zone: Zone }) {
  const own = formatOwnTime(at, zone);
  return own ? <span className="pb-1 text-xs font-normal">{own}</span> : null;
}

function OwnClock(props: { at: Date; zone: Zone }) {
  return (
    <Optional>
      <OwnLine {...props} />
    </Optional>
  );
}

function Times({ day, linkTo, zone }: { day: FreeDay; linkTo: LinkOf; zone: Zone }) {
  return (
    <div className="flex flex-col gap-4">
      {day.parts.map((part) => (
        <section key={part.name} className="flex flex-col gap-2">
          <h3 className="font-sans text-sm font-semibold tracking-normal text-ink-2">
            {part.name}
          </h3>
          <ul className="flex flex-wrap gap-2">
            {part.times.map(({ startsAt }) => (
              <li key={startsAt.toISOString()}>
                <AppLink
                  to={linkTo(startsAt)}
                  className="flex min-h-11 flex-col items-center justify-center rounded-full border border-control bg-surface px-5 font-semibold numeric transition-colors duration-150 hover:border-brand hover:bg-brand hover:text-on-brand"
                >
                  <span>
                    {formatClock(startsAt, zone)}
                    <span className="sr-only">
                      {` ${zone.label}, ${formatCalendarDate(day.date)} `}
                    </span>
                  </span>
                  <OwnClock at={startsAt} zone={zone} />
                </AppLink>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

type NoTimesProps = { next: Date | undefined; zone: Zone; linkTo: LinkOf };

function NoTimes({ next, zone, linkTo }: NoTimesProps) {
  return (
    <Alert
      title="No free times in these days"
      action={
        next ? (
          <Button size="sm" variant="secondary" to={linkTo(next)}>
            {`Next free: ${formatShortDate(next, zone)}, ${formatTime(next, zone)}`}
          </Button>
        ) : (
          <Button size="sm" variant="secondary" to="/contact">
            Ask us for a time
          </Button>
        )
      }
    >
      {next
        ? 'There is room a little later.'
        : 'Everything is booked. Write to us, we may find one.'}
    </Alert>
  );
}

function addDays(date: string, days: number): string {
  const at = new Date(`${date}T12:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

type WeekStepsProps = {
  isFirst: boolean;
  isLast: boolean;
  onEarlier: () => void;
  onLater: () => void;
};

function WeekSteps({ isFirst, isLast, onEarlier, onLater }: WeekStepsProps) {
  return (
    <div className="flex justify-between gap-2">
      <Button variant="quiet" size="sm" disabled={isFirst} onClick={onEarlier}>
        Earlier
      </Button>
      <Button variant="quiet" size="sm" disabled={isLast} onClick={onLater}>
        Later days
      </Button>
    </div>
  );
}

/** When a time is kept, and how long. The minutes are missing in an earlier release's answer. */
function Holding() {
  const { holdMinutes } = usePractice();
  const minutes = holdMinutes > 0 ? ` for at least ${holdMinutes} minutes` : '';
  return <>Browsing doesn't reserve a time. We'll hold yours{minutes} when you go to payment.</>;
}

/** Free times of a week at a time. Choosing one begins the booking with it. */
export function FreeTimes({ slotLink = bookingSlotLink, ...whose }: FreeTimesProps) {
  const [weeks, setWeeks] = useState<readonly string[]>(['']);
  const [chosenDate, setChosenDate] = useState<string>();
  const fromDate = weeks.at(-1) ?? '';
  const { data, error, isPending, refetch, isFetching } = useFreeTimes(whose, fromDate);

  if (isPending || (error && isFetching && !data)) return <FreeTimesSkeleton />;
  if (!data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;

  const zone: Zone = { timeZone: data.timeZone, label: data.timeZoneLabel };
  const days = freeDays(data);
  const next = data.nextAvailableAt ? toDate(data.nextAvailableAt) : undefined;
  const day = days.find(({ date }) => date === chosenDate) ?? days.find(({ count }) => count > 0);
  const linkTo = (at: Date) => slotLink(whose.serviceId, at, whose.practitionerId);
  const following = addDays(days.at(-1)?.date ?? '', 1);

  return (
    <div className="flex flex-col gap-5">
      <div className="-mx-1 flex snap-x gap-2 overflow-x-auto px-1 py-1">
        {days.map((one) => (
          <DayButton
            key={one.date}
            day={one}
            chosen={one.date === day?.date}
            onChoose={() => setChosenDate(one.date)}
          />
        ))}
      </div>
      {day ? (
        <Times day={day} zone={zone} linkTo={linkTo} />
      ) : (
        <NoTimes next={next} zone={zone} linkTo={linkTo} />
      )}
      <WeekSteps
        isFirst={weeks.length === 1}
        isLast={days.length < DAYS_SHOWN || following > data.lastDate}
        onEarlier={() => setWeeks((before) => before.slice(0, -1))}
        onLater={() => setWeeks((before) => [...before, following])}
      />
      <WaitLink {...whose} full={!day} />
      <p className="text-sm text-ink-2">
        All times are in {zone.label} ({zone.timeZone}). <Holding />
      </p>
    </div>
  );
}
