/**
 * How long ago a review was written, in calendar days of the practice's zone: what was written late
 * yesterday evening says "Yesterday" in the morning, and every reader reads the same.
 */
import { serverDate } from '@/lib/clock';
import { localDate, type Zone } from '@/lib/time';

const DAY_MS = 86_400_000;
const DAYS_OF_WEEK = 7;
const DAYS_OF_MONTH = 30;
/** A review has the badge "Recent Review" as long as the filter "Recent" lists it. */
const RECENT_MS = 30 * DAY_MS;

function dayNumber(at: Date, zone: Zone): number {
  return Date.parse(`${localDate(at, zone.timeZone)}T00:00:00Z`) / DAY_MS;
}

function ago(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}

export function relativeDate(at: Date, zone: Zone, now: Date = serverDate()): string {
  // A reader's clock may be behind the server's.
  const days = Math.max(0, dayNumber(now, zone) - dayNumber(at, zone));
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days < DAYS_OF_WEEK) return ago(days, 'day');
  if (days < DAYS_OF_MONTH) return ago(Math.floor(days / DAYS_OF_WEEK), 'week');
  return ago(Math.floor(days / DAYS_OF_MONTH), 'month');
}

export function isRecent(at: Date, now: Date = serverDate()): boolean {
  return now.getTime() - at.getTime() < RECENT_MS;
}
