/** Moving a session: whether its client can, among which times, and in which words. */
import type { Booking, ListSlotsResponse, Session } from '@/gen/booking/v1/booking_service_pb';
import { formatShortDate, localDate, toDate, type Zone } from '@/lib/time';
import { isFree } from '../shared/free-session';
import { shortTime } from './refund-words';

const HOUR_MS = 3_600_000;

/** When one session starts; nothing where the booking has no such session. */
export function startOf({ sessions }: Booking, number: number): Date | undefined {
  const startsAt = sessions[number - 1]?.startsAt;
  return startsAt && toDate(startsAt);
}

/** The number by which calls name a session: the one of a single booking has none. */
export function calledNumber({ package: booked }: Booking, number: number): number {
  return booked ? number : 0;
}

/** Whether its client can move it now. */
export function isMovable(booking: Booking, session: Session, now: number): boolean {
  const { movableUntilAt, cancelled } = session;
  if (!movableUntilAt || cancelled || booking.pendingCancellation) return false;
  return toDate(movableUntilAt).getTime() > now;
}

/** "You can move it until Mon, 23 Nov, 11:00 am IST, 3 more times." */
export function movesWords({ movableUntilAt, movesLeft }: Session, zone: Zone): string {
  if (!movableUntilAt) return '';
  const often = movesLeft === 1 ? 'once more' : `${movesLeft} more times`;
  return `You can move it until ${shortTime(toDate(movableUntilAt), zone)}, ${often}.`;
}

export function staysWords(booking: Booking): string {
  return isFree(booking) ? 'Everything else stays.' : 'Price, payment and receipt stay.';
}

/** Why it can't be moved any more; empty where it can be, or never could. */
export function notMovableWords(booking: Booking, session: Session, now: number): string {
  const limits = booking.cancellationPolicy?.moves;
  if (isMovable(booking, session, now) || !limits || limits.times === 0) return '';
  const { moves, movesLeft, startsAt } = session;
  if (movesLeft === 0 && moves > 0) {
    const often = moves === 1 ? 'once' : `${moves} times`;
    return `It can't be moved any more: you have moved it ${often}.`;
  }
  const { untilHours } = limits;
  const isLate = startsAt && toDate(startsAt).getTime() - untilHours * HOUR_MS <= now;
  if (!isLate) return '';
  const hours = untilHours === 1 ? 'an hour' : `${untilHours} hours`;
  return `It can't be moved any more: that ends ${hours} before it starts.`;
}

/** The sessions of a package between which one stays, by their numbers; nothing where there is none. */
export type Neighbours = { before?: number; after?: number };

export function neighboursOf({ sessions }: Booking, number: number): Neighbours {
  const kept = sessions.flatMap(({ cancelled }, index) => (cancelled ? [] : [index + 1]));
  const before = kept.findLast((one) => one < number);
  const after = kept.find((one) => one > number);
  return { ...(before && { before }), ...(after && { after }) };
}

/** "It stays between session 1 (Tue, 24 Nov) and session 3 (Tue, 8 Dec), on a day of its own." */
export function orderWords(booking: Booking, number: number, zone: Zone): string {
  const named = (other: number | undefined) => {
    const at = other && startOf(booking, other);
    return at ? `session ${other} (${formatShortDate(at, zone)})` : '';
  };
  const neighbours = neighboursOf(booking, number);
  const [before, after] = [named(neighbours.before), named(neighbours.after)];
  if (before && after) return `It stays between ${before} and ${after}, on a day of its own.`;
  if (before) return `It stays on a day after ${before}.`;
  return after ? `It stays on a day before ${after}.` : '';
}

/** The same starts without those of days on which it would leave its place in the package. */
export function inOrder(slots: ListSlotsResponse, booking: Booking, number: number) {
  const dateOf = (other: number | undefined) => {
    const at = other && startOf(booking, other);
    return at ? localDate(at, slots.timeZone || booking.timeZone) : '';
  };
  const neighbours = neighboursOf(booking, number);
  const [before, after] = [dateOf(neighbours.before), dateOf(neighbours.after)];
  const fits = (date: string) => date > before && (after === '' || date < after);
  const days = slots.days.map((day) => (fits(day.date) ? day : { ...day, slots: [] }));
  return { ...slots, days };
}

type Words = { title: string; text: string };

/** Why a time was not given. Another one can be chosen. */
export function refusedWords(reason: string, when: string, order: string): Words {
  const text = 'Nothing was moved.';
  switch (reason) {
    case 'SLOT_PAST':
      return { title: `${when} is too soon now`, text };
    case 'SLOT_NOT_OFFERED':
      return { title: `${when} is not offered any more`, text };
    case 'OVERLAPS_OWN_SESSION':
      return { title: `You have another session at ${when}`, text };
    case 'OUT_OF_ORDER':
      return { title: 'The sessions of a package keep their order', text: `${text} ${order}` };
    case 'DATES_TOO_FAR_APART':
      return { title: `${when} is too far from the other sessions of your package`, text };
    default:
      return { title: `${when} was just taken`, text };
  }
}

const REFUSED = [
  ...['SLOT_TAKEN', 'SLOT_PAST', 'SLOT_NOT_OFFERED', 'OVERLAPS_OWN_SESSION'],
  ...['OUT_OF_ORDER', 'DATES_TOO_FAR_APART'],
];

/** Whether a refusal is about the chosen time, and not about the session. */
export function isTimeRefused(reason: string): boolean {
  return REFUSED.includes(reason);
}

const ENDED: Record<string, string> = {
  NOT_MOVABLE: "It can't be moved",
  MOVE_TOO_LATE: 'It is too late to move it',
  MOVED_TOO_OFTEN: 'It has been moved as often as it can be',
  CANCELLATION_PENDING: 'It is being cancelled',
};

/** Why the session can't be moved at all; empty where that is not what was said. */
export function endedTitle(reason: string): string {
  return ENDED[reason] ?? '';
}
