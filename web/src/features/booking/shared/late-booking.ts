/** Texts and the stored consent for a session that starts inside the cancellation limit. */
import { toast } from '@/components/ui/toast-store';
import { readTab, writeTab } from '@/lib/tab-storage';
import { formatShortDate, type Zone } from '@/lib/time';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Whole units, the largest of which there are at least two. */
function count(leftMs: number): string {
  if (leftMs >= 2 * DAY_MS) return `${Math.floor(leftMs / DAY_MS)} days`;
  if (leftMs >= 2 * HOUR_MS) return `${Math.floor(leftMs / HOUR_MS)} hours`;
  const minutes = Math.max(1, Math.floor(leftMs / MINUTE_MS));
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}

/** "This session starts in 10 hours"; of a package "Your first session, on Mon, 23 Nov, …". */
export function startsIn(startsAt: Date, now: number, of?: { zone: Zone }): string {
  const which = of
    ? `Your first session, on ${formatShortDate(startsAt, of.zone)},`
    : 'This session';
  return `${which} starts in ${count(startsAt.getTime() - now)}`;
}

export const NO_REFUND = "Once paid it can't be cancelled for a refund.";

/** The words beside the tick. */
export const LATE_TICK = "I understand that this session can't be cancelled for a refund";

/** The toast when a customer goes on without the consent. */
export const LATE_TICK_MISSING = "Please confirm that you understand it can't be refunded.";

/** The same beside a tick. */
export const TICK_MISSING = 'Please tick this to go on';

/** The name of the tick, by which it is found. */
export const LATE_FIELD = 'late-agreement';

/** Says that a tick is missing, and leads to it. */
export function askForTick(name: string, words: string): void {
  toast({
    title: 'Agreement required',
    description: words,
    variant: 'destructive',
    beside: true,
  });
  document.querySelector<HTMLElement>(`input[name="${name}"]`)?.focus();
}

const KEY = 'bookingLateAgreed';
const KEPT_MAX = 10;

/** The marks of all times that were agreed to in this tab. */
export function readLateConsents(): string[] {
  try {
    const stored: unknown = JSON.parse(readTab(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter((mark) => typeof mark === 'string') : [];
  } catch {
    return [];
  }
}

export function writeLateConsents(marks: readonly string[]): void {
  writeTab(KEY, JSON.stringify(marks.slice(-KEPT_MAX)));
}
