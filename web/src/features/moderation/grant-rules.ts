/** How long the panel stays unlocked, and why it is locked again. */
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import { Code } from '@connectrpc/connect';
import { describeError, needsSecondStep } from '@/lib/errors';

const MINUTE_MS = 60_000;

/** Without use a grant ends after this; the server says the same. */
export const IDLE_MS = 10 * MINUTE_MS;

/** From here on it is offered to stay unlocked. */
const SOON_MS = 2 * MINUTE_MS;

/** How often the time is compared: timers stop while the machine sleeps. */
export const LOOK_EVERY_MS = 5000;

/** When a grant ends, on this browser's clock. */
export type Ends = { idleAt: number; atLatest: number };

type Granted = { endsAt?: Timestamp | undefined; idleEndsAt?: Timestamp | undefined };

/**
 * The answer's instants are of the server's clock. Only their distance is taken from it, so that a
 * browser whose clock is wrong counts right all the same.
 */
export function endsOf(granted: Granted, askedAt: number): Ends {
  const { endsAt, idleEndsAt } = granted;
  const beyond = endsAt && idleEndsAt ? timestampMs(endsAt) - timestampMs(idleEndsAt) : 0;
  const idleAt = askedAt + IDLE_MS;
  return { idleAt, atLatest: idleAt + Math.max(0, beyond) };
}

/** The same grant after it was used. */
export function usedAt(ends: Ends, now: number): Ends {
  return { ...ends, idleAt: Math.min(now + IDLE_MS, ends.atLatest) };
}

export function leftMs(ends: Ends, now: number): number {
  return Math.max(0, Math.min(ends.idleAt, ends.atLatest) - now);
}

function minutes(ms: number): string {
  const count = Math.max(1, Math.ceil(ms / MINUTE_MS));
  return count === 1 ? 'one minute' : `${count} minutes`;
}

export type TimeLeft = {
  text: string;
  /** It ends soon, and using it would put that off. */
  canStay: boolean;
};

/** "Locks by itself in 9 minutes if you do nothing, in 24 minutes at the latest." */
export function timeLeft(ends: Ends, lookedAt: number): TimeLeft {
  // The time is compared only now and then; the grant may have been used since.
  const now = Math.max(lookedAt, ends.idleAt - IDLE_MS);
  const left = leftMs(ends, now);
  const last = Math.max(0, ends.atLatest - now);
  // Within its last minutes using it changes nothing any more.
  if (last - left < MINUTE_MS) {
    return { text: `Locks by itself in ${minutes(last)}.`, canStay: false };
  }
  const text =
    `Locks by itself in ${minutes(left)} if you do nothing, ` +
    `in ${minutes(last)} at the latest.`;
  return { text, canStay: left <= SOON_MS };
}

const ENDED = 'The panel locked itself, to be safe. Type your password to go on.';

const BY_REASON: Record<string, string> = {
  GRANT_ENDED: ENDED,
  GRANT_REQUIRED: 'The panel was locked, maybe in another window. Type your password to go on.',
  STAFF_ONLY: 'This account may not manage reviews.',
  ROLE_NOT_ALLOWED: 'This account may not manage reviews.',
  SECOND_FACTOR_REQUIRED:
    'Managing reviews asks for your second step. Type your password to go on.',
  SECOND_FACTOR_TOO_OLD:
    'Managing reviews asks for your second step of today. Type your password to go on.',
};

/** The message when the time has run out in the browser. */
export const RAN_OUT = ENDED;

/** Why the panel is locked after this error, or undefined when the grant is still valid. */
export function lossOf(error: unknown): string | undefined {
  const { code, reason } = describeError(error);
  if (code === Code.Unauthenticated) return 'Your sign-in has ended. Please sign in again.';
  return code === Code.PermissionDenied ? (BY_REASON[reason] ?? ENDED) : undefined;
}

/** Whether an answer to a password means "wrong", as opposed to "it could not be checked". */
export function isRefusal(error: unknown): boolean {
  const { code } = describeError(error);
  if (needsSecondStep(error)) return false;
  return (
    code === Code.PermissionDenied ||
    code === Code.Unauthenticated ||
    code === Code.ResourceExhausted ||
    code === Code.InvalidArgument
  );
}
