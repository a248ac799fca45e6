/** What went wrong, in words for people, from the one error form of the gateway. */
import type { Code, ConnectError } from '@connectrpc/connect';
import { CODE } from './codes';
import { detailOf } from './error-detail';
import { isOnline } from './use-online';

export type Problem = {
  code: Code;
  /** A stable word for programs, for example "SLOT_TAKEN", or empty. */
  reason: string;
  /** The request's field that is wrong, or empty. */
  field: string;
  title: string;
  message: string;
  /** What a person may quote to the practice, or empty. */
  referenceId: string;
  /** The call reached no server: once the connection is back, the same call may succeed. */
  lost: boolean;
  /** Whether trying again unchanged can help. */
  retryable: boolean;
};

type Words = { title: string; message: string };

const BY_REASON: Record<string, Words> = {
  SLOT_TAKEN: {
    title: 'That time was just taken',
    message: 'Someone else chose it a moment ago. Please pick another time.',
  },
  SLOT_PAST: {
    title: 'That time has passed',
    message: 'Please pick a later time.',
  },
  SLOT_NOT_OFFERED: {
    title: 'That time is not offered',
    message: 'Please pick one of the times in the list.',
  },
  TOO_MANY_HOLDS: {
    title: 'You are already keeping two times',
    message: 'Please pay for one of them or let one go before you choose another.',
  },
  HELD_TOO_OFTEN: {
    title: 'Please take a short break',
    message: 'Several times were kept and not paid. Please try again a little later.',
  },
  TERMS_NOT_ACCEPTED: {
    title: 'Agreement required',
    message:
      'Please agree to our simple terms to book your session. ' +
      'If you booked by phone, the link in our mail leads to them.',
  },
  HOLD_ENDED: {
    title: 'Your time was released',
    message: 'We could keep it only for a while. Please choose a time again.',
  },
  SERVICE_NOT_FOUND: {
    title: 'Service Not Found',
    message: 'This service does not exist, or is no longer offered.',
  },
  SECOND_FACTOR_REQUIRED: {
    title: 'Your second step is needed',
    message:
      "The practice's work asks for more than a password. Use your second step, or set one up, " +
      'and you come back here.',
  },
  SECOND_FACTOR_TOO_OLD: {
    title: 'Your second step is needed again',
    message:
      "This moves money, rights or clients' data, so it asks for your second step of the last few " +
      'minutes. Try it again, and show the step.',
  },
  TOO_MANY_PAGE_CODES: {
    title: 'No more codes for now',
    message:
      'We have mailed several codes in the last hour. The last of them may still work; else please ' +
      'try again in an hour.',
  },
  PROVIDER_UNAVAILABLE: {
    title: 'The payment service does not answer',
    message: 'Nothing was charged. Please try again in a moment.',
  },
};

const UNAVAILABLE: Words = {
  title: 'This part is not available right now',
  message: 'Nothing is lost. Please try again in a moment.',
};

const OFFLINE: Words = {
  title: 'You are offline',
  message: "We'll reconnect as soon as you're back online.",
};

const BY_CODE: Partial<Record<Code, Words>> = {
  [CODE.Unauthenticated]: {
    title: 'Please sign in again',
    message: 'Your session has ended. Sign in, and you can go on from here.',
  },
  [CODE.NotFound]: { title: 'Not found', message: 'We could not find what you asked for.' },
  [CODE.PermissionDenied]: { title: 'Not allowed', message: 'This is not yours to see or change.' },
  [CODE.ResourceExhausted]: {
    title: 'One moment, please',
    message: 'That was a lot at once. Please wait a little and try again.',
  },
  [CODE.Unavailable]: UNAVAILABLE,
  [CODE.DeadlineExceeded]: {
    title: 'That took too long',
    message: 'Your connection or our service is slow just now. Please try again.',
  },
};

const GENERIC: Words = {
  title: 'Something went wrong',
  message: 'We could not finish this. Please try again.',
};

/** Staff whose session has no second factor: the sign-in page asks for it, or leads to setting it up. */
export function needsSecondStep(error: unknown): boolean {
  return describeError(error).reason === 'SECOND_FACTOR_REQUIRED';
}

/** Whether the session has ended, and with it what was read for a person. */
export function isSessionOver(error: unknown): boolean {
  return error !== null && describeError(error).code === CODE.Unauthenticated;
}

/** Codes whose message is written for the caller by our own services. */
const SPOKEN = new Set<Code>([CODE.InvalidArgument, CODE.FailedPrecondition, CODE.AlreadyExists]);

const RETRYABLE = new Set<Code>([
  CODE.Unknown,
  CODE.DeadlineExceeded,
  CODE.ResourceExhausted,
  CODE.Aborted,
  CODE.Internal,
  CODE.Unavailable,
]);

function words(error: ConnectError, reason: string): Words {
  const known = BY_REASON[reason];
  if (known) return known;
  if (SPOKEN.has(error.code) && error.rawMessage) {
    return { title: 'Please check this', message: error.rawMessage };
  }
  return BY_CODE[error.code] ?? GENERIC;
}

/** Known by its name: its class would bring the protobuf runtime into every page that has an error. */
function isConnectError(error: unknown): error is ConnectError {
  return error instanceof Error && error.name === 'ConnectError';
}

/** A call that reached no server: the browser may know why. */
function unreachable(): Words {
  return isOnline() ? UNAVAILABLE : OFFLINE;
}

/** Describes any error that a call can end with. Transport text is never shown. */
export function describeError(error: unknown): Problem {
  if (!isConnectError(error)) {
    const away = { ...unreachable(), code: CODE.Unavailable, lost: true, retryable: true };
    return { ...away, reason: '', field: '', referenceId: '' };
  }
  const detail = detailOf(error);
  const reason = detail?.reason ?? '';
  // Without a detail the answer did not come from our gateway: the connection itself failed.
  const lost = !detail && (error.code === CODE.Unknown || error.code === CODE.Internal);
  return {
    ...(lost ? unreachable() : words(error, reason)),
    code: lost ? CODE.Unavailable : error.code,
    reason,
    field: detail?.field ?? '',
    referenceId: detail?.referenceId ?? '',
    lost,
    retryable: RETRYABLE.has(error.code),
  };
}

/** The reason of an error, for example "SLOT_TAKEN", or empty. */
export function errorReason(error: unknown): string {
  return describeError(error).reason;
}
