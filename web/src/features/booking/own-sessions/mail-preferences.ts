/** What a client chooses about the mails of sessions, in words. */
import type { MailPreferences } from '@/gen/booking/v1/booking_service_pb';

/** How many hours before a session one can be reminded, the most first. */
export const REMINDER_HOURS = [48, 24, 12, 4, 2, 1] as const;
/** How many reminders there can be. */
export const REMINDERS_MAX = 2;

export type MailChoice = { reminderHours: readonly number[]; thanks: boolean };

export function choiceOf(preferences: MailPreferences | undefined): MailChoice {
  const { reminderHours = [], thanks = true } = preferences ?? {};
  return { reminderHours: inOrder(reminderHours), thanks };
}

/**
 * The same without hours that can't be chosen: the practice's own may be others. What a client saves
 * has none of them.
 */
export function choosable({ reminderHours, thanks }: MailChoice): MailChoice {
  const known: readonly number[] = REMINDER_HOURS;
  return { reminderHours: reminderHours.filter((hour) => known.includes(hour)), thanks };
}

function inOrder(hours: readonly number[]): number[] {
  return [...hours].sort((one, other) => other - one);
}

/** The same with an hour more, or less where it was among them. */
export function toggled(hours: readonly number[], hour: number): number[] {
  if (hours.includes(hour)) return hours.filter((one) => one !== hour);
  return hours.length < REMINDERS_MAX ? inOrder([...hours, hour]) : [...hours];
}

export function hourWords(hour: number): string {
  return hour === 1 ? '1 hour' : `${hour} hours`;
}

/** "24 hours and 1 hour before", "no reminder" */
export function remindersWords(hours: readonly number[]): string {
  if (hours.length === 0) return 'no reminder';
  return `${hours.map(hourWords).join(' and ')} before`;
}

export function isSameChoice(one: MailChoice, other: MailChoice): boolean {
  return one.thanks === other.thanks && one.reminderHours.join() === other.reminderHours.join();
}
