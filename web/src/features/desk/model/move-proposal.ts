/** A session whose client is asked to choose another time: until when, in words, and what was refused. */
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { toDate, type Zone } from '@/lib/time';
import { moveRefusalWords } from './move-words';
import type { Words } from './refusal-words';
import { timeWords } from './time-words';

const HOUR_MS = 3_600_000;
/** So long before the start the choice ends, where the practice asks early enough. */
const CHOOSE_MS_BEFORE = 24 * HOUR_MS;
const EARLY_MS = 36 * HOUR_MS;

type Proposal = { number: number; until: Date | undefined };

/** The booking's open proposal. */
export function openProposal({ moveProposal }: Booking): Proposal | undefined {
  if (!moveProposal) return undefined;
  const { sessionNumber, chooseUntilAt } = moveProposal;
  return { number: sessionNumber, until: chooseUntilAt && toDate(chooseUntilAt) };
}

/** This session's client is asked to choose another time. */
export function isAskedToMove(booking: Booking, number: number): boolean {
  return openProposal(booking)?.number === number;
}

/** Until when the client of a session could choose, where the practice asks now. */
export function chooseUntil(startsAt: Date, now: number): Date {
  const start = startsAt.getTime();
  return new Date(start - now >= EARLY_MS ? start - CHOOSE_MS_BEFORE : start);
}

/** What asking does, before it is done. */
export function askingWords(until: Date, zone: Zone): string {
  const nothing = `Nothing chosen until ${timeWords(until, zone)}: everything goes back by itself.`;
  return `The client gets a mail with three times. ${nothing}`;
}

/** "Asked to choose another time until Sun, 6 Dec, 3:00 pm"; empty for other sessions. */
export function askedToMoveWords(booking: Booking, number: number, zone: Zone): string {
  const proposal = openProposal(booking);
  if (proposal?.number !== number) return '';
  const until = proposal.until ? ` until ${timeWords(proposal.until, zone)}` : '';
  return `Asked to choose another time${until}`;
}

const NOTHING_SENT = 'The client was not asked for another time.';

const WORDS: Record<string, Words> = {
  NOT_MOVABLE: {
    title: 'Another time cannot be asked for any more',
    message: `It has begun, was cancelled, or another session of its package waits. ${NOTHING_SENT}`,
  },
  CANCELLATION_PENDING: {
    title: 'The client is cancelling it',
    message: `It takes effect in a few minutes, or the client takes it back. ${NOTHING_SENT}`,
  },
  CHANGED_SINCE: { title: 'It was moved meanwhile', message: NOTHING_SENT },
  NO_MOVE_PROPOSAL: {
    title: 'The client is not asked any more',
    message: 'A time was chosen, or the session was cancelled. What you see now is how it stands.',
  },
};

/** Of a proposal a refusal may mean something else than of a move. */
export function proposalRefusalWords(reason: string): Words | undefined {
  return WORDS[reason] ?? moveRefusalWords(reason);
}
