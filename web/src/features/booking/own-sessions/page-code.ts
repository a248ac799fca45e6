/** What is wrong with a code that was mailed for an act, in words at its field. */
import { errorReason } from '@/lib/errors';

const WORDS: Record<string, string> = {
  PAGE_CODE_REQUIRED: 'This needs the six digits of our mail now. Please send yourself a code.',
  PAGE_CODE_WRONG: 'These are not the digits of our last mail. Please look again.',
  PAGE_CODE_ENDED: 'This code has ended. Please send yourself a new one.',
};

export const CODE_MISSING = 'Please type the six digits of our mail.';

/** Nothing where the error is not about the code. */
export function pageCodeProblem(error: unknown): string | undefined {
  return error === undefined || error === null ? undefined : WORDS[errorReason(error)];
}

/** Whether a code is needed that the page has not asked for. */
export function asksForCode(error: unknown): boolean {
  return error !== undefined && errorReason(error) === 'PAGE_CODE_REQUIRED';
}
