import { useEffect, useRef } from 'react';
import { toast } from '@/components/ui/toast-store';
import { type Booking, MailState } from '@/gen/booking/v1/booking_service_pb';
import { MAIL_FAILED, mailFailedMessage } from '../mail-messages';

/** That the session is booked is read first: there is one toast at a time. */
const AFTER_ARRIVAL_MS = 2500;

/**
 * Says that the confirmation mail was sent or failed: just after a payment, and when it happens
 * while the page is open. It says nothing when an old booking is opened.
 */
export function useMailToast(booking: Booking | undefined, justPaid: boolean): void {
  const said = useRef<MailState | undefined>(undefined);
  const mailState = booking?.mailState;
  const failedWords = booking ? mailFailedMessage(booking) : '';

  useEffect(() => {
    if (mailState === undefined) return;
    const first = said.current === undefined;
    const changed = said.current !== mailState;
    said.current = mailState;
    if (!changed || mailState === MailState.UNSPECIFIED || (first && !justPaid)) return;
    const timer = setTimeout(
      () => sayMail(mailState, failedWords),
      justPaid ? AFTER_ARRIVAL_MS : 0,
    );
    return () => {
      clearTimeout(timer);
      if (first) said.current = undefined;
    };
  }, [mailState, justPaid, failedWords]);
}

/** The page says it as well, and what can be pressed there is not covered. */
function sayMail(state: MailState, failedWords: string): void {
  if (state === MailState.SENT) {
    const description = 'The confirmation is in your inbox.';
    toast({ title: 'Email Sent!', description, beside: true });
    return;
  }
  toast({ title: MAIL_FAILED, description: failedWords, variant: 'destructive', beside: true });
}
