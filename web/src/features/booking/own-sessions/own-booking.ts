/** What the pages of a client's own bookings say of one: where it stands, and where it leads. */
import type { BadgeTone } from '@/components/ui/badge';
import {
  type Booking,
  BookingState,
  PaymentState,
  type Session,
} from '@/gen/booking/v1/booking_service_pb';
import { serverNow } from '@/lib/clock';
import { toDate } from '@/lib/time';
import { isEnded, isLive, isOnWord } from '../shared/booking-state';
import type { SummaryRow } from '../shared/components/booking-summary';
import { isFree } from '../shared/free-session';
import { moneyRow } from '../shared/money-notes';

export const OWN_SESSIONS = '/account/sessions';

/** How often what is shown is read again. */
const READ_AGAIN_MS = 30_000;
/** The same once a cancellation is due, and after it is. */
const READ_SOON_MS = 2_000;

/** In how many milliseconds the bookings are read again: soon where a cancellation takes effect. */
export function readAgainIn(bookings: readonly Booking[]): number {
  const ends = bookings.flatMap(({ pendingCancellation: pending }) =>
    pending?.takesEffectAt ? toDate(pending.takesEffectAt).getTime() : [],
  );
  const left = Math.min(...ends) - serverNow();
  return Math.min(READ_AGAIN_MS, Math.max(READ_SOON_MS, left));
}

/** "Meditation", "Starter Package: Meditation" */
export function titleOf({ serviceTitle, package: booked }: Booking): string {
  return booked ? `${booked.title}: ${serviceTitle}` : serviceTitle;
}

export function ownBookingPath({ bookingId }: Booking): string {
  return `${OWN_SESSIONS}/${bookingId}`;
}

/** The step of the flow at which a held time is paid for. */
export function payPath({ bookingId }: Booking): string {
  return `/booking-flow?step=payment&b=${bookingId}`;
}

/** Where the same is booked once more; nothing for what a client may have once. */
export function againPath(booking: Booking): string | undefined {
  // Of a booking that is over, a page without a sign-in knows no service.
  if (isFree(booking) || !booking.serviceId) return undefined;
  const { serviceId, package: booked } = booking;
  const query = new URLSearchParams({ service: serviceId });
  if (booked) query.set('package', booked.packageId);
  return `/booking-flow?${query}`;
}

function isOver({ endsAt }: Session, now: number): boolean {
  return endsAt !== undefined && toDate(endsAt).getTime() <= now;
}

/** The number from 1 of the session that comes next, or runs now. */
export function nextNumber({ sessions }: Booking, now: number): number | undefined {
  const at = sessions.findIndex((session) => !session.cancelled && !isOver(session, now));
  return at < 0 ? undefined : at + 1;
}

/** Where one session of a package stands. */
export function sessionWord(booking: Booking, number: number, now: number): string {
  const session = booking.sessions[number - 1];
  if (session?.cancelled) return 'Cancelled';
  if (session && isOver(session, now)) return 'Over';
  return nextNumber(booking, now) === number && !isEnded(booking) ? 'Next' : '';
}

/** Whether its sessions are to take place. */
export function isToCome(booking: Booking, now: number): boolean {
  const placed =
    booking.state === BookingState.CONFIRMED || booking.state === BookingState.MEETING_SCHEDULED;
  return placed && nextNumber(booking, now) !== undefined;
}

/** The numbers from 1 of the sessions that its client can cancel. */
export function cancellableNumbers(booking: Booking, now: number): number[] {
  if (!isToCome(booking, now) || booking.pendingCancellation) return [];
  return booking.sessions.flatMap(({ cancelled, startsAt }, index) => {
    const isAhead = startsAt !== undefined && toDate(startsAt).getTime() > now;
    return isAhead && !cancelled ? [index + 1] : [];
  });
}

const PAID = new Set([
  PaymentState.PAID,
  PaymentState.REFUNDING,
  PaymentState.REFUNDED,
  PaymentState.REFUND_FAILED,
]);

/** Whether a payment was seen, so that there is a receipt or will be one. */
export function isPaid(booking: Booking): boolean {
  return !isFree(booking) && PAID.has(booking.paymentState);
}

/**
 * The rows of its money. How much of it goes back, a booking does not say; the receipt does, once it
 * has gone.
 */
export function moneyRows(booking: Booking): SummaryRow[] {
  const asPaid = { ...booking, paymentState: PaymentState.PAID };
  switch (booking.paymentState) {
    case PaymentState.REFUNDING:
      return [moneyRow(asPaid), { label: 'Refund', value: 'On its way back to you' }];
    case PaymentState.REFUNDED:
      return [moneyRow(asPaid), { label: 'Refund', value: 'Sent back to you' }];
    case PaymentState.REFUND_FAILED:
      return [moneyRow(asPaid), moneyRow(booking)];
    case PaymentState.PAID:
      return [moneyRow(booking)];
    default: {
      const { value } = moneyRow(booking);
      return [{ label: isLive(booking) ? 'To be paid' : 'Price', value }];
    }
  }
}

type Standing = { word: string; tone: BadgeTone };

const OVER: Standing = { word: 'Over', tone: 'neutral' };

/** Where it stands, in a word or two. A session that was missed is over, and no more is said of it. */
export function standingOf(booking: Booking, now: number): Standing {
  if (booking.pendingCancellation) return { word: 'Being cancelled', tone: 'warn' };
  if (booking.moveProposal && isToCome(booking, now)) {
    return { word: 'Needs another time', tone: 'warn' };
  }
  switch (booking.state) {
    case BookingState.HELD:
    case BookingState.AWAITING_PAYMENT:
      return { word: 'Not paid yet', tone: 'warn' };
    case BookingState.CANCELLED:
      return { word: 'Cancelled', tone: 'neutral' };
    case BookingState.EXPIRED:
      return { word: 'Not paid in time', tone: 'neutral' };
    case BookingState.PAID_UNPLACED:
      return { word: 'Paid too late', tone: 'neutral' };
    case BookingState.RESCHEDULED:
      return { word: 'Has another time', tone: 'neutral' };
    case BookingState.CONFIRMED:
    case BookingState.MEETING_SCHEDULED:
      if (!isToCome(booking, now)) return OVER;
      return isOnWord(booking)
        ? { word: 'Payment not seen yet', tone: 'warn' }
        : { word: 'Confirmed', tone: 'ok' };
    default:
      return OVER;
  }
}
