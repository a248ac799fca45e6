/** What the pages say of a booking's money that went back, or should have. */
import { type Booking, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { DeskWay } from '@/gen/common/v1/money_pb';
import { formatPrice } from '@/lib/money';
import { isOnWord } from './booking-state';
import { isFree, priceWords } from './free-session';

export type MoneyNote = { title: string; tone: 'warn' | 'info'; text: string };

/** The row of a booking's money: what was paid, or went back, or is the price. */
export function moneyRow(booking: Booking): { label: string; value: string } {
  if (isFree(booking) || isOnWord(booking)) return { label: 'Price', value: priceWords(booking) };
  const paid = booking.paid ? formatPrice(booking.paid) : priceWords(booking);
  const atDesk = booking.paidAtDesk !== DeskWay.UNSPECIFIED;
  const value = atDesk ? `${paid}, at the practice` : paid;
  switch (booking.paymentState) {
    case PaymentState.REFUNDED:
      return { label: 'Refunded', value };
    case PaymentState.REFUNDING:
      return { label: atDesk ? 'To be given back' : 'To be refunded', value };
    case PaymentState.REFUND_FAILED:
      return { label: 'Refund', value: 'It did not go through' };
    default:
      return { label: 'Paid', value };
  }
}

/** What was paid at the practice is given back there; the payment provider has nothing to send. */
function deskNote(booking: Booking): MoneyNote | undefined {
  if (booking.paidAtDesk === DeskWay.UNSPECIFIED) return undefined;
  if (booking.paymentState === PaymentState.REFUNDING) {
    return {
      title: 'You get your money back at the practice',
      tone: 'info',
      text:
        'You paid there, so we give it back to you there. Please tell us when you can come by; if ' +
        'you would rather have it by UPI, answer our mail.',
    };
  }
  if (booking.paymentState !== PaymentState.REFUNDED) return undefined;
  return { title: 'Refund complete', tone: 'info', text: 'We have given your money back to you.' };
}

/**
 * A refund that failed for good, money that the client's bank gave back, and what is given back at
 * the practice.
 */
export function moneyNotes(booking: Booking): MoneyNote[] {
  const desk = deskNote(booking);
  const notes: MoneyNote[] = desk ? [desk] : [];
  if (booking.refundOwed) {
    notes.push({
      title: `We owe you ${formatPrice(booking.refundOwed)}`,
      tone: 'warn',
      text:
        'A refund to you did not go through. The money is still yours: we look for another way ' +
        'to pay you, and write to you about it. You do not need to do anything.',
    });
  }
  if (booking.givenByBank) {
    notes.push({
      title: `Your bank has given you ${formatPrice(booking.givenByBank)}`,
      tone: 'info',
      text: 'It came by your bank, so that it does not come from us a second time.',
    });
  }
  return notes;
}
