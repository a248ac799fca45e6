/** A time that is closed to clients, as it is asked for: by the practice's date and clock. */
import { inZone, localDate } from '@/lib/time';
import { dayAfter, type ReadRow, rowsWith, type SessionRow } from './day';

export type Closing = {
  /** "2026-11-24" */
  date: string;
  /** "14:00"; empty means from midnight. */
  fromTime: string;
  /** "16:30"; empty means until midnight. */
  toTime: string;
  /** Empty means the practice's first one. */
  practitionerId: string;
};

/** "14:00" by the practice's clock. */
export function clockText(at: Date, timeZone: string): string {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return clock.format(at);
}

/** The closing of a free time; one that reaches into the next day ends at midnight. */
export function closingOfSpan(
  { startsAt, endsAt }: { startsAt: Date; endsAt: Date },
  timeZone: string,
  practitionerId: string,
): Closing {
  const date = localDate(startsAt, timeZone);
  const toTime = localDate(endsAt, timeZone) === date ? clockText(endsAt, timeZone) : '';
  return { date, fromTime: clockText(startsAt, timeZone), toTime, practitionerId };
}

/** The sessions and held times that lie in it. */
export function rowsInTheWay(
  rows: readonly ReadRow[],
  { date, fromTime, toTime, practitionerId }: Closing,
  timeZone: string,
): SessionRow[] {
  const from = inZone(`${date}T${fromTime || '00:00'}`, timeZone);
  const to = inZone(toTime ? `${date}T${toTime}` : `${dayAfter(date)}T00:00`, timeZone);
  return rowsWith(rows, practitionerId).filter(
    (row): row is SessionRow => row.kind !== 'closed' && row.startsAt < to && from < row.endsAt,
  );
}

/** What is wrong with it, in words; nothing where it is right. */
export function closingError({ date, fromTime, toTime }: Closing): string | undefined {
  if (!date) return 'Choose a day';
  if (fromTime && toTime && toTime <= fromTime) return 'The end has to be after the begin';
  return undefined;
}
