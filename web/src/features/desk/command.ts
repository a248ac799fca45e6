/**
 * A command that is done at most once however bad the network is. Its key stays in the tab until an
 * answer comes; a call without an answer is made again under it, and in the end nothing is guessed.
 */
import { CODE } from '@/lib/codes';
import { describeError } from '@/lib/errors';
import { endAttempt, keyOfAttempt } from '@/lib/idempotency-key';
import { wait } from '@/lib/wait';

const ATTEMPT_KEY = 'deskAct';
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000];

export type Command<Answer> = {
  /** The act and what it is done to: "mark/bkg_…/1". */
  name: string;
  /** What makes it another command: the same words again keep the key of a lost answer. */
  parts: readonly string[];
  send: (idempotencyKey: string) => Promise<Answer>;
};

/** No answer came, also not to the last call: it may have been done. */
export class NotSure extends Error {
  override name = 'NotSure';
}

/** The call may have arrived, and may not. */
function isUnanswered(error: unknown): boolean {
  const { code, lost } = describeError(error);
  return lost || code === CODE.Unavailable || code === CODE.DeadlineExceeded;
}

export async function sendSurely<Answer>({ name, parts, send }: Command<Answer>): Promise<Answer> {
  const attempt = `${ATTEMPT_KEY}/${name}`;
  const key = keyOfAttempt(attempt, parts);
  for (const pause of [...PAUSES_MS, undefined]) {
    try {
      const answer = await send(key);
      endAttempt(attempt);
      return answer;
    } catch (error) {
      if (!isUnanswered(error)) {
        endAttempt(attempt);
        throw error;
      }
      if (pause === undefined) throw new NotSure('No answer came.', { cause: error });
      await wait(pause);
    }
  }
  throw new NotSure('No answer came.');
}
