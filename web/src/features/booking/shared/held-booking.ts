/** Remembers which booking this tab holds, for people who go back to the calendar. */
import { readTab, writeTab } from '@/lib/tab-storage';

export type HeldBooking = {
  bookingId: string;
  /** A hash of the request; another hash means that something was changed since. */
  content: string;
  /** The practitioner that was wanted; empty for anyone. */
  practitionerId: string;
};

const KEY = 'bookingHeld';

export function readHeld(): HeldBooking | undefined {
  try {
    const stored = JSON.parse(readTab(KEY) ?? 'null') as Partial<HeldBooking> | null;
    if (typeof stored?.bookingId !== 'string' || !stored.bookingId) return undefined;
    const { bookingId, content = '', practitionerId = '' } = stored;
    return { bookingId, content: String(content), practitionerId: String(practitionerId) };
  } catch {
    return undefined;
  }
}

/** The practitioner that was wanted for a booking; empty for anyone, and where it is not known. */
export function wantedPractitioner(bookingId: string): string {
  const held = readHeld();
  return held?.bookingId === bookingId ? held.practitionerId : '';
}

export function writeHeld(held: HeldBooking | null): void {
  writeTab(KEY, held ? JSON.stringify(held) : null);
}
