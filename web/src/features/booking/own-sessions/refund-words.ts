/** What a client's cancellation gives back, in words, before and after it. */
import type {
  Booking,
  PreviewOwnCancellationResponse,
  Session,
} from '@/gen/booking/v1/booking_service_pb';
import { DeskWay, type Money } from '@/gen/common/v1/money_pb';
import { openSteps } from '@/lib/cancellation';
import { formatMoney, formatPrice } from '@/lib/money';
import {
  formatLongDate,
  formatShortDate,
  formatTime,
  localDate,
  toDate,
  type Zone,
} from '@/lib/time';
import { isOnWord } from '../shared/booking-state';
import { isFree } from '../shared/free-session';

type Sum = Money | undefined;

function isSum(refund: Sum): refund is Money {
  return refund !== undefined && refund.minorUnits > 0n;
}

/** Whether it is sent to the payer, as what was paid by the provider is. */
export function isSentBack(booking: Booking, refund: Sum): boolean {
  return isSum(refund) && isPaidBack(booking);
}

/** "Thu, 26 Nov, 11:00 am IST" */
export function shortTime(at: Date, zone: Zone): string {
  return `${formatShortDate(at, zone)}, ${formatTime(at, zone)}`;
}

/** "₹1,500 back until Thu, 26 Nov, 11:00 am IST; after that ₹0" */
export function scheduleWords(session: Session, zone: Zone, now: number): string {
  const steps = openSteps(session, now);
  if (steps.length === 0) return 'Nothing comes back any more';
  const lines = steps.map(({ untilAt, refund }, index) => {
    const until = untilAt ? ` until ${shortTime(toDate(untilAt), zone)}` : '';
    return `${formatPrice(refund)}${index === 0 ? ' back' : ''}${until}`;
  });
  const nothing = formatMoney(0n, steps[0]?.refund?.currencyCode);
  return [...lines, nothing].join('; after that ');
}

/** What cancelling one session costs or gives back, by when. */
export function cancellingWords(booking: Booking, session: Session, zone: Zone, now: number) {
  if (isFree(booking)) return 'Cancelling costs you nothing';
  return scheduleWords(session, zone, now);
}

/** What comes back now. */
export function comesBackWords(booking: Booking, refund: Sum): string {
  if (isFree(booking)) return 'It costs you nothing.';
  if (!isSum(refund)) return 'Nothing comes back to you any more.';
  const sum = formatPrice(refund);
  if (isOnWord(booking)) return `${sum} comes back to you once your payment has reached us.`;
  if (booking.paidAtDesk !== DeskWay.UNSPECIFIED) return `You get ${sum} back at the practice.`;
  return `${sum} comes back to you.`;
}

function isPaidBack(booking: Booking): boolean {
  return !isOnWord(booking) && booking.paidAtDesk === DeskWay.UNSPECIFIED;
}

/**
 * The same where a late cancellation gives more by grace: "₹1,500 back: your free late cancellation. You
 * have one again from 1 May 2027."
 */
export function graceWords(
  booking: Booking,
  { refund, grace }: PreviewOwnCancellationResponse,
  zone: Zone,
): string {
  const all = comesBackWords(booking, refund);
  if (!grace || !isSum(grace.refund)) return all;
  const isAll = grace.refund.minorUnits === refund?.minorUnits && isPaidBack(booking);
  const words = isAll
    ? `${formatPrice(refund)} back: your free late cancellation.`
    : `${all} ${formatPrice(grace.refund)} of it is your free late cancellation.`;
  const again = grace.againAt && localDate(toDate(grace.againAt), zone.timeZone);
  return again ? `${words} You have one again from ${formatLongDate(again)}.` : words;
}

/** The words of the button that cancels: they carry the sum. */
export function cancelWords(booking: Booking, refund: Sum): string {
  if (isSum(refund)) return `Cancel and get ${formatPrice(refund)} back`;
  return isFree(booking) ? 'Cancel the session' : 'Cancel without a refund';
}

export function undoWords(atOnce: boolean): string {
  return atOnce
    ? "It takes effect at once. This can't be undone."
    : 'You can undo this for 3 minutes.';
}

/** What is said once it took effect: "Cancelled; ₹1,500 is on its way back" */
export function cancelledWords(booking: Booking, refund: Sum): string {
  if (!isSum(refund)) return isFree(booking) ? 'Cancelled' : 'Cancelled without a refund';
  const sum = formatPrice(refund);
  if (isOnWord(booking)) return `Cancelled; ${sum} goes back once your payment has reached us`;
  if (booking.paidAtDesk !== DeskWay.UNSPECIFIED) {
    return `Cancelled; you get ${sum} back at the practice`;
  }
  return `Cancelled; ${sum} is on its way back`;
}

/** "Session 2", "Sessions 2 and 3"; a booking of one session has "Your session". */
export function sessionsWords(booking: Booking, numbers: readonly number[]): string {
  if (!booking.package) return 'Your session';
  const [first, ...more] = numbers.map(String);
  const last = more.pop();
  if (first === undefined) return 'All sessions to come';
  return last === undefined
    ? `Session ${first}`
    : `Sessions ${[first, ...more].join(', ')} and ${last}`;
}

type Shown = Pick<PreviewOwnCancellationResponse, 'refund' | 'atOnce'>;
type Change = { title: string; text: string };

/** What is different from what was shown a moment ago; nothing where that is nothing. */
export function changeWords(before: Shown | undefined, now: Shown): Change | undefined {
  if (!before) return undefined;
  const [was, is] = [before.refund?.minorUnits ?? 0n, now.refund?.minorUnits ?? 0n];
  const sums = `It was ${formatPrice(before.refund)}, and now it is ${formatPrice(now.refund)}.`;
  const kept = 'Nothing is cancelled yet: please choose again.';
  if (is < was) return { title: 'Less comes back now', text: `${sums} ${kept}` };
  if (is > was) return { title: 'More comes back now', text: `${sums} ${kept}` };
  if (now.atOnce === before.atOnce) return undefined;
  const title = now.atOnce ? "This can't be undone any more" : 'This can be undone now';
  return { title, text: kept };
}
