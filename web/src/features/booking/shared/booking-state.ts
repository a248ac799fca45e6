/** What the states of a booking mean for the screens. */
import {
  type Booking,
  BookingState,
  MailState,
  PaymentState,
  SessionMode,
} from '@/gen/booking/v1/booking_service_pb';
import { toInstant } from '@/lib/instant';
import { toDate } from '@/lib/time';

/** The time is kept and can be paid for. */
export function isLive(booking: Booking | undefined): boolean {
  return booking?.state === BookingState.HELD || booking?.state === BookingState.AWAITING_PAYMENT;
}

/** Placed: paid for, or taken to be on the customer's word. */
export function isPlaced(booking: Booking | undefined): boolean {
  return (
    booking?.state === BookingState.CONFIRMED ||
    booking?.state === BookingState.MEETING_SCHEDULED ||
    booking?.state === BookingState.COMPLETED ||
    booking?.state === BookingState.NO_SHOW
  );
}

/** Confirmed on the customer's word: the payment has not been seen yet. */
export function isOnWord(booking: Booking): boolean {
  return booking.paymentState === PaymentState.CLAIMED;
}

/** It ended without a session: expired, given back, moved, or paid too late. */
export function isEnded(booking: Booking | undefined): boolean {
  return booking !== undefined && !isLive(booking) && !isPlaced(booking);
}

/** The later of two readings of the same booking. */
export function newer(known: Booking | undefined, read: Booking): Booking {
  return known && known.bookingId === read.bookingId && known.version > read.version ? known : read;
}

export function isOnline(booking: Booking): boolean {
  return booking.mode !== SessionMode.IN_PERSON;
}

/** When the booking's first session starts and ends. */
export function sessionTimes(booking: Booking): { startsAt: Date; endsAt: Date } | undefined {
  const session = booking.sessions[0];
  if (!session?.startsAt || !session.endsAt) return undefined;
  return { startsAt: toDate(session.startsAt), endsAt: toDate(session.endsAt) };
}

/** Whether money of the booking is with the practice, as far as is known. */
function isMoneyHere(booking: Booking): boolean {
  const { paymentState } = booking;
  return (
    paymentState === PaymentState.PAID ||
    paymentState === PaymentState.REFUNDING ||
    paymentState === PaymentState.REFUND_FAILED
  );
}

/** Whether nothing more can be learnt that the page would show. */
export function isSettled(booking: Booking): boolean {
  switch (booking.state) {
    case BookingState.CANCELLED:
      // Of a session that was paid for, the money may be about to go back.
      return !isMoneyHere(booking);
    case BookingState.RESCHEDULED:
      return true;
    case BookingState.EXPIRED:
      // Money that was sent in time can still arrive, and then the time is given again.
      return !booking.checkoutOpened;
    case BookingState.PAID_UNPLACED:
      return booking.paymentState === PaymentState.REFUNDED;
    default:
      if (!isPlaced(booking)) return false;
  }
  return booking.mailState === MailState.SENT;
}

/** The starts of all sessions as they are written in the address. */
export function instantsOf(booking: Booking | undefined): string[] {
  const starts = booking?.sessions.map(({ startsAt }) => startsAt) ?? [];
  return starts.flatMap((startsAt) => (startsAt ? [toInstant(toDate(startsAt))] : []));
}

/**
 * The starts that a customer holds already, so that they are not taken for someone else's, among
 * the times of one practitioner, or of anyone.
 */
export function ownStarts(
  held: Booking | undefined,
  serviceId: string,
  practitionerId: string,
): string[] {
  if (!held || !isLive(held) || held.serviceId !== serviceId) return [];
  const isWanted = practitionerId === '' || held.practitionerId === practitionerId;
  return isWanted ? instantsOf(held) : [];
}
