import { type ReactNode, useEffect } from 'react';
import { Alert, type AlertTone } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { toast } from '@/components/ui/toast-store';
import { type Booking, BookingState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { formatPrice } from '@/lib/money';
import { formatPhone } from '@/lib/phone';
import { usePractice } from '@/lib/practice';
import { bookingReference } from '@/lib/reference';
import type { Zone } from '@/lib/time';
import { isEnded } from '../booking-state';
import { isFree } from '../free-session';
import type { BookingReading } from '../hooks/use-booking';
import { moneyNotes } from '../money-notes';
import { sessionRows } from './booking-rows';
import { SummaryList } from './booking-summary';

export type EndedWords = { title: string; tone: AlertTone; lead: string; text: ReactNode };

/** Of what the client's bank has given a part of. */
const REST_COMES =
  'The rest goes back to your original payment method, and we write to you when it is on its way.';

/** A refund that failed for good, or money that came by the client's bank; nothing for the usual. */
function noteWords(booking: Booking, title: string): EndedWords | undefined {
  const [note] = moneyNotes(booking);
  if (!note) return undefined;
  const comes = booking.givenByBank && booking.paymentState === PaymentState.REFUNDING;
  const text = comes ? `${note.text} ${REST_COMES}` : note.text;
  return { title, tone: note.tone, lead: note.title, text };
}

function refundWords(booking: Booking, refundDays: string): EndedWords {
  const price = formatPrice(booking.paid ?? booking.price);
  const note = noteWords(booking, 'Your payment came after your time was gone');
  if (note) return note;
  if (booking.paymentState === PaymentState.REFUNDED) {
    return {
      title: 'Your money is on its way back',
      tone: 'ok',
      lead: 'Refund complete',
      text: `${price} went back to your original payment method. Banks show it within ${refundDays}.`,
    };
  }
  return {
    title: 'Your payment came after your time was gone',
    tone: 'warn',
    lead: 'You get all of it back',
    text:
      `${price} reached us when the time could no longer be given to you. We are sorry. All of it ` +
      'goes back to your original payment method. We write to you when it is on its way, and it ' +
      `arrives within ${refundDays} of that.`,
  };
}

function expiredWords(booking: Booking, verifying: boolean): EndedWords {
  const text = booking.checkoutOpened
    ? 'If you have paid, your money is safe: as soon as it reaches us we give you this time if it ' +
      'is still free, and all of your money back if it is not. This page tells you either way.'
    : 'That is quite all right, and you owe us nothing. Choose a time again whenever you like.';
  return {
    title: 'Your time was released',
    tone: 'warn',
    lead: verifying ? 'Payment was cancelled or expired' : 'No payment reached us in time',
    text,
  };
}

/** A hold that was given back has cost nothing; a session that was cancelled has a payment. */
function cancelledWords(booking: Booking, refundDays: string): EndedWords {
  const title = 'Your session is cancelled';
  if (isFree(booking)) {
    const text = 'You can choose another time whenever you like.';
    return { title, tone: 'info', lead: 'This session is cancelled.', text };
  }
  const note = noteWords(booking, title);
  if (note) return note;
  switch (booking.paymentState) {
    case PaymentState.REFUNDING:
      return {
        title,
        tone: 'info',
        lead: 'Your money goes back to you',
        text:
          'It goes back to your original payment method. We write to you when it is on its way, ' +
          `and it arrives within ${refundDays} of that. You do not need to do anything.`,
      };
    case PaymentState.REFUNDED:
      return {
        title,
        tone: 'ok',
        lead: 'Refund complete',
        text: `Your money went back to your original payment method. Banks show it within ${refundDays}.`,
      };
    case PaymentState.PAID:
      return {
        title,
        tone: 'info',
        lead: 'This session is cancelled.',
        text:
          'Our mail to you says what happens with the money you paid. You can choose another time ' +
          'whenever you like.',
      };
    default:
      // Only what was never taken to checkout can be given back; the practice cancelled the rest.
      if (booking.checkoutOpened || booking.paymentState === PaymentState.CLAIMED) {
        return {
          title,
          tone: 'info',
          lead: 'This session is cancelled.',
          text:
            'No payment has reached us. If you have paid, we go on looking for your money, and our ' +
            'mail to you says what happens with it.',
        };
      }
      return {
        title: 'This time was given back',
        tone: 'info',
        lead: 'Nothing was charged',
        text: 'You can choose another time whenever you like.',
      };
  }
}

/** What to say about a booking that ended without a session; a refund takes `refundDays`. */
export function endedWords(booking: Booking, refundDays: string, verifying = false): EndedWords {
  switch (booking.state) {
    case BookingState.PAID_UNPLACED:
      return refundWords(booking, refundDays);
    case BookingState.RESCHEDULED:
      return {
        title: 'This booking was moved',
        tone: 'info',
        lead: 'It has another time now',
        text: 'The confirmation in your mail names the new time.',
      };
    case BookingState.CANCELLED:
      return cancelledWords(booking, refundDays);
    default:
      return expiredWords(booking, verifying);
  }
}

/** What the page of a booking is called where no step names it: before an answer, and after its end. */
export function titleOfReading(
  { booking, isMissing }: BookingReading,
  refundDays: string,
): string | undefined {
  if (booking) return isEnded(booking) ? endedWords(booking, refundDays).title : undefined;
  return isMissing ? 'Booking Not Found' : 'Your Booking';
}

type EndedPanelProps = {
  booking: Booking;
  zone: Zone;
  /** The customer was waiting for the payment to be verified. */
  verifying: boolean;
  onAnew: () => void;
};

/** A booking that ended, with the way to a new one. */
export function EndedPanel({ booking, zone, verifying, onAnew }: EndedPanelProps) {
  const { email, phone, refundDaysText } = usePractice();
  const words = endedWords(booking, refundDaysText, verifying);
  const expired = booking.state === BookingState.EXPIRED;

  useEffect(() => {
    if (!verifying || !expired) return;
    toast({
      title: 'Payment Failed',
      description: 'Unable to process payment. Booking cannot proceed.',
      variant: 'destructive',
    });
  }, [verifying, expired]);

  return (
    <Card className="flex flex-col gap-5">
      <Alert tone={words.tone} live title={words.lead}>
        {words.text}
      </Alert>
      <SummaryList rows={sessionRows(booking, zone)} />
      <div className="flex flex-wrap gap-3">
        <Button onClick={onAnew}>Choose a New Time</Button>
        <Button to="/services" variant="secondary">
          See all services
        </Button>
      </div>
      <p className="text-sm text-ink-2">
        Questions? Write to <a href={`mailto:${email}`}>{email}</a> or call{' '}
        <a href={`tel:${phone}`}>{formatPhone(phone)}</a>, and quote{' '}
        <span className="numeric">{bookingReference(booking.bookingId)}</span>.
      </p>
    </Card>
  );
}
