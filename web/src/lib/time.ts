/** Instants as people read them, always in the practice's zone and with the zone beside the time. */

type TimestampLike = { seconds: bigint; nanos: number };

export type Zone = { timeZone: string; label: string };

const LOCALE = 'en-IN';

function formatter(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(LOCALE, { ...options, timeZone });
}

/** A protobuf timestamp as a Date. */
export function toDate(timestamp: TimestampLike): Date {
  return new Date(Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1_000_000));
}

/** "11:00 am", without a zone: only where the zone is written beside a whole list of times. */
export function formatClock(at: Date, zone: Zone): string {
  return formatter(zone.timeZone, { hour: 'numeric', minute: '2-digit', hour12: true })
    .format(at)
    .replace(/[\u202f\u00a0]/g, ' ')
    .toLowerCase();
}

/** "11:00 am IST" */
export function formatTime(at: Date, zone: Zone): string {
  return `${formatClock(at, zone)} ${zone.label}`;
}

/** "Tuesday, 24 November 2026" */
export function formatDate(at: Date, zone: Zone): string {
  return formatter(zone.timeZone, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  }).format(at);
}

/** "Tue, 24 Nov" */
export function formatShortDate(at: Date, zone: Zone): string {
  return formatter(zone.timeZone, { weekday: 'short', day: 'numeric', month: 'short' }).format(at);
}

/** "Tuesday, 24 November 2026 at 11:00 am IST" */
export function formatDateTime(at: Date, zone: Zone): string {
  return `${formatDate(at, zone)} at ${formatTime(at, zone)}`;
}

/** "11:00 am – 12:00 pm IST" */
export function formatTimeRange(from: Date, to: Date, zone: Zone): string {
  return `${formatClock(from, zone)} – ${formatTime(to, zone)}`;
}

/** The local date of an instant in the practice's zone: "2026-11-24". */
export function localDate(at: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(at);
  const part = (type: string) => parts.find((p) => p.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
}

/**
 * The instant at which clocks in the zone show a date and time, "2026-11-24T10:30": the offset of
 * about that time is taken off, and once more in case it changed in between.
 */
export function inZone(written: string, timeZone: string): Date {
  const asUtc = Date.parse(`${written}Z`);
  const shown = (at: number) => {
    const clock = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    });
    return Date.parse(`${localDate(new Date(at), timeZone)}T${clock.format(at)}Z`);
  };
  // A time that does not exist has no offset either; it stays what it is, which is no date.
  if (Number.isNaN(asUtc)) return new Date(Number.NaN);
  const offset = (at: number) => shown(at) - Math.floor(at / 1000) * 1000;
  return new Date(asUtc - offset(asUtc - offset(asUtc)));
}

/** The hour (0-23) of an instant in the practice's zone. */
export function localHour(at: Date, timeZone: string): number {
  const hour = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' });
  return Number.parseInt(hour.format(at), 10);
}

/** A calendar date "2026-11-24" in pieces for a day button, without any zone arithmetic. */
export function describeDay(date: string): { weekday: string; day: string; month: string } {
  const noon = new Date(`${date}T12:00:00Z`);
  const part = (options: Intl.DateTimeFormatOptions) => formatter('UTC', options).format(noon);
  return {
    weekday: part({ weekday: 'short' }),
    day: part({ day: 'numeric' }),
    month: part({ month: 'short' }),
  };
}

/** "Tuesday, 24 November" for a calendar date "2026-11-24". */
export function formatCalendarDate(date: string): string {
  const noon = new Date(`${date}T12:00:00Z`);
  return formatter('UTC', { weekday: 'long', day: 'numeric', month: 'long' }).format(noon);
}

/** "22 November 2026" for a calendar date "2026-11-22". */
export function formatLongDate(date: string): string {
  const noon = new Date(`${date}T12:00:00Z`);
  return formatter('UTC', { day: 'numeric', month: 'long', year: 'numeric' }).format(noon);
}

/**
 * The reader's zone, where the browser knows one that it takes back: it may have none, or say
 * "Etc/Unknown", or the name of a zone that it has no rules of.
 */
export function readersZone(): string | undefined {
  try {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    // Some browsers take the word for no zone back, and mean UTC.
    if (!timeZone || timeZone === 'Etc/Unknown') return undefined;
    formatter(timeZone, {});
    return timeZone;
  } catch {
    return undefined;
  }
}

/** The instant by the reader's clock, or nothing when that reads the same as the practice's. */
function ownClock(at: Date, zone: Zone): string | undefined {
  const timeZone = readersZone();
  if (!timeZone) return undefined;
  const own = { timeZone, label: '' };
  const clock = formatClock(at, own);
  const sameDay = localDate(at, own.timeZone) === localDate(at, zone.timeZone);
  if (clock === formatClock(at, zone) && sameDay) return undefined;
  return sameDay ? clock : `${formatShortDate(at, own)}, ${clock}`;
}

/** The same instant in the reader's own zone, or nothing when the clocks there read the same. */
export function formatOwnTime(at: Date, zone: Zone): string | undefined {
  const own = ownClock(at, zone);
  return own && `${own} your time`;
}

/** The same with the reader's place where the zone names one: "5:30 am (London)". */
export function formatOwnPlace(at: Date, zone: Zone): string | undefined {
  const own = ownClock(at, zone);
  const [region, ...places] = readersZone()?.split('/') ?? [];
  const place = region === 'Etc' ? undefined : places.at(-1)?.replaceAll('_', ' ');
  return own && place ? `${own} (${place})` : own;
}
