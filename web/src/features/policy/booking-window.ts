/** What a booking says about the time to cancel it. */
import { type Booking, BookingState, type Session } from '@/gen/booking/v1/booking_service_pb';
import { noticeHours } from '@/lib/cancellation';
import { toDate } from '@/lib/time';

export type BookingWindow =
  | { kind: 'counting'; hours: number; limits: [Date, ...Date[]]; sessions: Session[] }
  /** There is nothing to count, in a sentence. */
  | { kind: 'settled'; words: string };

const SETTLED: Partial<Record<BookingState, string>> = {
  [BookingState.HELD]:
    'This booking is not confirmed yet, so there is nothing to cancel: if it is not paid, the time is given back by itself.',
  [BookingState.AWAITING_PAYMENT]:
    'This booking is not confirmed yet, so there is nothing to cancel: if it is not paid, the time is given back by itself.',
  [BookingState.COMPLETED]: 'This session has taken place. Thank you for coming.',
  [BookingState.NO_SHOW]: 'This session is over. If something kept you away, please tell us.',
  [BookingState.EXPIRED]: 'This booking was never confirmed, so there is nothing to cancel.',
  [BookingState.CANCELLED]: 'This booking is cancelled already. You need not do anything more.',
  [BookingState.RESCHEDULED]:
    'This booking was moved to another time. The mail about the new time leads to its own clock.',
  [BookingState.PAID_UNPLACED]:
    'The time of this booking was gone when the payment came. The money goes back to you by itself.',
};

/** Until when each of its sessions that are left can be cancelled for all of its price, soonest first. */
export function bookingWindow(booking: Booking): BookingWindow {
  const words = SETTLED[booking.state];
  const sessions = booking.sessions.filter(({ refundSteps }) => refundSteps.length > 0);
  const [first, ...others] = sessions.flatMap(({ refundSteps: [step] }) =>
    step?.untilAt ? [toDate(step.untilAt)] : [],
  );
  if (words || !first) {
    return { kind: 'settled', words: words ?? 'The time of this booking is not fixed yet.' };
  }
  const hours = noticeHours(booking.cancellationPolicy);
  return { kind: 'counting', hours, limits: [first, ...others], sessions };
}

/** The first limit that lies ahead, with so many milliseconds left to the last one; else the last. */
export function nextLimit(limits: readonly [Date, ...Date[]], leftToLastMs: number): Date {
  const last = limits.at(-1) ?? limits[0];
  const now = last.getTime() - leftToLastMs;
  return limits.find((limit) => limit.getTime() > now) ?? last;
}
