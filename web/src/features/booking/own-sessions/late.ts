/** When a client can say that they come late, and what they said. */
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { toDate } from '@/lib/time';
import { isToCome } from './own-booking';
import { isAskedToMove } from './proposal';

const HOUR_MS = 3_600_000;

/** By how many minutes one can come late. */
export const LATE_MINUTES = [5, 10, 15] as const;

/** The number from 1 of the session that begins within the hour, or runs. */
export function lateNumber(booking: Booking, now: number): number | undefined {
  if (!isToCome(booking, now) || booking.pendingCancellation) return undefined;
  const at = booking.sessions.findIndex(({ startsAt, endsAt, cancelled }, index) => {
    if (!startsAt || !endsAt || cancelled || isAskedToMove(booking, index + 1)) return false;
    return toDate(startsAt).getTime() - HOUR_MS <= now && now < toDate(endsAt).getTime();
  });
  return at < 0 ? undefined : at + 1;
}

/** By how many minutes the practice was told that the client comes late to a session; 0 for none. */
export function toldMinutes({ toldLate }: Booking, number: number): number {
  if (!toldLate) return 0;
  // A single session may be told of without its number.
  return (toldLate.sessionNumber || 1) === number ? toldLate.minutes : 0;
}
