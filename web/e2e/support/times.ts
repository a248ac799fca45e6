/** The times of sessions on pages: as they are chosen, and as they are written. */
import type { Locator } from '@playwright/test';
import { toInstant } from '../../src/lib/instant';
import { formatClock, formatDate, localDate } from '../../src/lib/time';

/** That of the practice. */
export const ZONE = { timeZone: 'Asia/Kolkata', label: 'IST' };

/** Chooses a day and a time by their values, and not by their places. */
export async function chooseByValue(dialog: Locator, at: Date): Promise<void> {
  await dialog.locator(`input[value="${localDate(at, ZONE.timeZone)}"]`).check();
  await dialog.locator(`input[value="${toInstant(at)}"]`).check();
}

/** The line of the session's page with its time, whether or not a browser puts a comma in a date. */
export function timeOnPage(at: Date): RegExp {
  return new RegExp(`^${formatDate(at, ZONE).replace(',', ',?')}, ${formatClock(at, ZONE)} –`);
}
