/** The time that is left to cancel, as the page counts it. */
import { DATE_LENGTH, isDay } from '@/lib/instant';
import { inZone } from '@/lib/time';

const SECOND_MS = 1000;
export const HOUR_MS = 3_600_000;
/** What lies further ahead than any booking is no booking. */
const AHEAD_MAX_MS = 366 * 24 * HOUR_MS;

/** A date, a time and, where it is given, their zone. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/;
/** Milliseconds since 1970, as programs write a moment. */
const EPOCH_MS = /^\d{13}$/;

/** "23:59:59", with more than two digits for more than 99 hours. */
export function countdownText(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / SECOND_MS));
  const two = (count: number) => String(count).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

function momentOf(text: string, timeZone: string): Date | undefined {
  if (EPOCH_MS.test(text)) return new Date(Number(text));
  // A plus sign that was not escaped arrives as a space.
  const written = text.replace(/ (?=\d{2}:\d{2}$)/, '+');
  const parts = INSTANT.exec(written);
  if (!parts || !isDay(written.slice(0, DATE_LENGTH))) return undefined;
  return parts[1] ? new Date(written) : inZone(written, timeZone);
}

/** The moment in the address, or undefined where it cannot be understood. */
export function parseBookingTime(text: string, now: number, timeZone: string): Date | undefined {
  const at = momentOf(text.trim(), timeZone);
  if (!at) return undefined;
  const ahead = at.getTime() - now;
  return Number.isNaN(ahead) || ahead > AHEAD_MAX_MS ? undefined : at;
}

/** How much of the window is left, from 1 to 0; 1 as long as it is further away than that. */
export function shareLeft(leftMs: number, windowHours: number): number {
  return Math.min(1, Math.max(0, leftMs / (windowHours * HOUR_MS)));
}
