/** What the desk reads out of a booking: what takes place, what is held, whom it is with, what it cost. */
import { type Booking, BookingState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { Attendance, type StaffBooking } from '@/gen/booking/v1/booking_staff_service_pb';
import { DeskWay } from '@/gen/common/v1/money_pb';
import { formatPrice } from '@/lib/money';
import { formatClock, toDate, type Zone } from '@/lib/time';

const HELD: readonly BookingState[] = [BookingState.HELD, BookingState.AWAITING_PAYMENT];
const PLACED: readonly BookingState[] = [
  BookingState.CONFIRMED,
  BookingState.MEETING_SCHEDULED,
  BookingState.COMPLETED,
  BookingState.NO_SHOW,
];

export function isHeld({ state }: Booking): boolean {
  return HELD.includes(state);
}

/** It took place, or will. */
export function takesPlace({ state }: Booking): boolean {
  return PLACED.includes(state);
}

/** Its client says that it is paid, and the provider has not said so. */
export function isClaimed(booking: Booking): boolean {
  return isHeld(booking) && booking.paymentState === PaymentState.CLAIMED;
}

/** "Asha Rao", or words for a client without a name. */
export function clientName({ contact }: Booking): string {
  const name = [contact?.firstName, contact?.lastName].filter(Boolean).join(' ');
  return name || 'A client without a name';
}

/** What the client wrote beforehand; empty also for members that may not read it. */
export function clientNote({ contact }: Booking): string {
  const { notes = '' } = contact ?? {};
  return notes;
}

/** "Meditation", "Starter Package: Meditation, 2 of 3" */
export function sessionTitle({ package: booked, serviceTitle, sessions }: Booking, number: number) {
  return booked
    ? `${booked.title}: ${serviceTitle}, ${number} of ${sessions.length}`
    : serviceTitle;
}

/** The mark of one session; unmarked where it has none. */
export function markOf({ marks }: StaffBooking, number: number): Attendance {
  const mark = marks.find(({ sessionNumber }) => sessionNumber === number)?.attendance;
  return mark ?? Attendance.UNMARKED;
}

/** "10 min late, told at 10:52 am"; empty where the client said nothing about that session. */
export function lateWords({ toldLate }: Booking, number: number, zone: Zone): string {
  const { sessionNumber, minutes = 0, toldAt } = toldLate ?? {};
  if (sessionNumber !== number || minutes === 0) return '';
  const told = toldAt ? `, told at ${formatClock(toDate(toldAt), zone)}` : '';
  return `${minutes} min late${told}`;
}

const MARK_WORDS: Partial<Record<Attendance, string>> = {
  [Attendance.CAME]: 'Came',
  [Attendance.LATE]: 'Came late',
  [Attendance.NO_SHOW]: 'Did not come',
};

/** "Did not come"; empty where nothing was said. */
export function markWord(mark: Attendance): string {
  return MARK_WORDS[mark] ?? '';
}

const STATE_WORDS: Partial<Record<BookingState, string>> = {
  [BookingState.HELD]: 'Not paid yet',
  [BookingState.AWAITING_PAYMENT]: 'Not paid yet',
  [BookingState.CONFIRMED]: 'Confirmed',
  [BookingState.MEETING_SCHEDULED]: 'Confirmed',
  [BookingState.COMPLETED]: 'Over',
  [BookingState.NO_SHOW]: 'Did not come',
  [BookingState.EXPIRED]: 'Not paid in time',
  [BookingState.CANCELLED]: 'Cancelled',
  [BookingState.RESCHEDULED]: 'Has another time',
  [BookingState.PAID_UNPLACED]: 'Paid too late',
};

export function stateWord(booking: Booking): string {
  return isClaimed(booking) ? 'Client says it is paid' : (STATE_WORDS[booking.state] ?? '');
}

/** What is known of the money, in a word or two. */
export function paymentWord({ booking, confirmedOnClaim }: StaffBooking): string {
  if (!booking) return '';
  const { price, paidAtDesk, paymentState, paid } = booking;
  if (!price || price.minorUnits === 0n) return 'Free';
  if (confirmedOnClaim) return 'Taken on the client’s word';
  switch (paymentState) {
    case PaymentState.PAID:
      if (paidAtDesk === DeskWay.CASH) return 'Paid in cash';
      if (paidAtDesk === DeskWay.UPI) return 'Paid by UPI at the desk';
      return `Paid ${formatPrice(paid ?? price)}`;
    case PaymentState.CLAIMED:
      return 'Client says it is paid';
    case PaymentState.FAILED:
      return 'Payment failed';
    case PaymentState.REFUNDING:
      return 'Money on its way back';
    case PaymentState.REFUNDED:
      return 'Money went back';
    case PaymentState.REFUND_FAILED:
      return 'Refund failed';
    default:
      return 'Not paid';
  }
}
