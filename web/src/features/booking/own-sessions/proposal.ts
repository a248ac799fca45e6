/** The practice can't hold a session at its time, and asks its client to choose another one. */
import type { Booking, MoveProposal } from '@/gen/booking/v1/booking_service_pb';
import { toInstant } from '@/lib/instant';
import { toDate, type Zone } from '@/lib/time';
import { isFree } from '../shared/free-session';
import { startOf } from './move';
import { shortTime } from './refund-words';

/** The number from 1 of the session; a single one may be named without it. */
export function askedNumber({ sessionNumber }: MoveProposal): number {
  return sessionNumber || 1;
}

/** Whether the practice asks for another time of this session. */
export function isAskedToMove({ moveProposal }: Booking, number: number): boolean {
  return moveProposal !== undefined && askedNumber(moveProposal) === number;
}

/** The question, while it is open: not while a cancellation is under way, nor once its time is over. */
export function openProposal(booking: Booking, now: number): MoveProposal | undefined {
  const { moveProposal, pendingCancellation } = booking;
  if (!moveProposal?.chooseUntilAt || pendingCancellation) return undefined;
  return toDate(moveProposal.chooseUntilAt).getTime() > now ? moveProposal : undefined;
}

/** "You can choose until Sun, 6 Dec, 3:00 pm IST. It doesn't count as one of your moves." */
export function chooseWords({ moveProposal }: Booking, zone: Zone): string {
  const until = moveProposal?.chooseUntilAt;
  const words = until ? `You can choose until ${shortTime(toDate(until), zone)}. ` : '';
  return `${words}It doesn't count as one of your moves.`;
}

/** "We can't hold this session on Mon, 7 Dec, 3:00 pm IST. Choose another time, or …" */
export function askedWords(booking: Booking, number: number, zone: Zone): string {
  const at = startOf(booking, number);
  const what = booking.package ? `session ${number} of your package` : 'this session';
  const when = at ? ` on ${shortTime(at, zone)}` : '';
  const rest = isFree(booking)
    ? 'Choose another time, or cancel it.'
    : 'Choose another time, or take everything back.';
  return `We can't hold ${what}${when}. ${rest} We are sorry for the trouble.`;
}

/** What comes of it where nothing is chosen. */
export function lapseWords(booking: Booking, { chooseUntilAt }: MoveProposal, zone: Zone): string {
  if (!chooseUntilAt) return '';
  const until = shortTime(toDate(chooseUntilAt), zone);
  if (isFree(booking)) return `If you choose nothing until ${until}, it is cancelled by itself.`;
  const what = booking.package ? 'all of its price' : 'all of your money';
  return `If you choose nothing until ${until}, ${what} comes back by itself.`;
}

/** The button with which everything comes back. */
export function takeBackWords(booking: Booking): string {
  return isFree(booking) ? 'Cancel it' : 'Take everything back';
}

/** The times to show: one that a mail offered first, where it is not among them. */
export function shownTimes(suggested: readonly Date[], preset: Date | undefined): Date[] {
  const known = suggested.some((at) => preset && toInstant(at) === toInstant(preset));
  return preset && !known ? [preset, ...suggested] : [...suggested];
}

/** Bookings about which the practice asks, and the others, each in their order. */
export function askedFirst(bookings: readonly Booking[], now: number) {
  const asked = bookings.filter((one) => openProposal(one, now) !== undefined);
  return { asked, others: bookings.filter((one) => !asked.includes(one)) };
}

const IN_ADDRESS = /(?:^#|&)choose=([^&]+)/;

/** The time that a link of a mail has chosen already: "#choose=2026-12-08T09:30:00Z". */
export function chosenIn(hash: string): Date | undefined {
  const [, written = ''] = IN_ADDRESS.exec(hash) ?? [];
  const ms = Date.parse(decoded(written));
  return Number.isNaN(ms) ? undefined : new Date(ms);
}

function decoded(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return '';
  }
}
