/** Moving a session in words for the people at the desk: what was refused. */
import { MovedBy } from '@/gen/booking/v1/booking_staff_service_pb';
import { refusalWords, type Words } from './refusal-words';

const CHOOSE = 'Nothing was moved. Choose another time.';

const WORDS: Record<string, Words> = {
  NOT_MOVABLE: {
    title: 'It cannot be moved any more',
    message: 'It is over, is not paid yet, or was cancelled. Nothing was moved.',
  },
  CANCELLATION_PENDING: {
    title: 'The client is cancelling it',
    message: 'It takes effect in a few minutes, or the client takes it back. Nothing was moved.',
  },
  CHANGED_SINCE: { title: 'It was moved meanwhile', message: CHOOSE },
  PRACTITIONER_NOT_FOUND: {
    title: 'That person does not give this session',
    message: 'Nothing was moved. Choose a person who gives it in the same way.',
  },
  INVALID_REASON: {
    title: 'The reason is missing',
    message: 'It has 1 to 500 characters. Nothing was done.',
  },
  SLOT_TAKEN: { title: 'That time was just taken', message: CHOOSE },
  SLOT_PAST: { title: 'That time has passed', message: CHOOSE },
  SLOT_NOT_OFFERED: { title: 'That time is not offered', message: CHOOSE },
  OVERLAPS_OWN_SESSION: { title: 'The client has another session then', message: CHOOSE },
  OUT_OF_ORDER: {
    title: 'The sessions of a package keep their order',
    message: `It stays on a day of its own, between those before and after it. ${CHOOSE}`,
  },
  DATES_TOO_FAR_APART: {
    title: 'That is too far from the other sessions of the package',
    message: CHOOSE,
  },
};

export const REASON_MAX = 500;

/** Only where the client asked and the practitioner stays, nothing needs to be said. */
export function needsReason(movedBy: MovedBy, practitionerId: string): boolean {
  return movedBy !== MovedBy.CUSTOMER_ASKED || practitionerId !== '';
}

/** What is wrong with a reason, in words; nothing where it is right. */
export function reasonError(reason: string): string | undefined {
  return reason.trim() === '' ? 'Say why, in a few words' : undefined;
}

/** Of a move a refusal may mean something else than of other acts. */
export function moveRefusalWords(reason: string): Words | undefined {
  return WORDS[reason] ?? refusalWords(reason);
}
