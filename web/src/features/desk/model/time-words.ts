/** Instants of the practice's clock as the desk says them. */
import { formatClock, formatShortDate, localDate, type Zone } from '@/lib/time';

/** "Thu, 26 Nov, 11:00 am" */
export function timeWords(at: Date, zone: Zone): string {
  return `${formatShortDate(at, zone)}, ${formatClock(at, zone)}`;
}

/** "1:05 pm" of today, and with its day on another. */
export function clockWords(at: Date, now: number, zone: Zone): string {
  const isToday = localDate(at, zone.timeZone) === localDate(new Date(now), zone.timeZone);
  return isToday ? formatClock(at, zone) : timeWords(at, zone);
}
