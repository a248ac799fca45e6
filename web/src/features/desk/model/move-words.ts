/** Moving a session in words for the people at the desk: what was refused. */
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

/** Of a move a refusal may mean something else than of other acts. */
export function moveRefusalWords(reason: string): Words | undefined {
  return WORDS[reason] ?? refusalWords(reason);
}
