/** What went wrong, in words for people, from the one error form of the gateway. */
import { Code, ConnectError } from '@connectrpc/connect';
import { ErrorDetailSchema } from '@/gen/common/v1/error_detail_pb';

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
  TERMS_NOT_ACCEPTED: {
    title: 'Agreement required',
    message: 'Please agree to our simple terms to book your session.',
  },
  HOLD_ENDED: {
    title: 'Your time was released',
    message: 'We could keep it only for a while. Please choose a time again.',
  },
  SERVICE_NOT_FOUND: {
    title: 'Service Not Found',
    message: 'This service does not exist, or is no longer offered.',
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

const BY_CODE: Partial<Record<Code, Words>> = {
  [Code.Unauthenticated]: {
    title: 'Please sign in again',
    message: 'Your session has ended. Sign in, and you can go on from here.',
  },
  [Code.NotFound]: { title: 'Not found', message: 'We could not find what you asked for.' },
  [Code.PermissionDenied]: { title: 'Not allowed', message: 'This is not yours to see or change.' },
  [Code.ResourceExhausted]: {
    title: 'One moment, please',
    message: 'That was a lot at once. Please wait a little and try again.',
  },
  [Code.Unavailable]: UNAVAILABLE,
  [Code.DeadlineExceeded]: {
    title: 'That took too long',
    message: 'Your connection or our service is slow just now. Please try again.',
  },
};

const GENERIC: Words = {
  title: 'Something went wrong',
  message: 'We could not finish this. Please try again.',
};

/** Codes whose message is written for the caller by our own services. */
const SPOKEN = new Set([Code.InvalidArgument, Code.FailedPrecondition, Code.AlreadyExists]);

const RETRYABLE = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.ResourceExhausted,
  Code.Aborted,
  Code.Internal,
  Code.Unavailable,
]);

function words(error: ConnectError, reason: string): Words {
  const known = BY_REASON[reason];
  if (known) return known;
  if (SPOKEN.has(error.code) && error.rawMessage) {
    return { title: 'Please check this', message: error.rawMessage };
  }
  return BY_CODE[error.code] ?? GENERIC;
}

/** Describes any error that a call can end with. Transport text is never shown. */
export function describeError(error: unknown): Problem {
  if (!(error instanceof ConnectError)) {
    const offline = { ...UNAVAILABLE, code: Code.Unavailable, retryable: true };
    return { ...offline, reason: '', field: '', referenceId: '' };
  }
  const detail = error.findDetails(ErrorDetailSchema)[0];
  const reason = detail?.reason ?? '';
  // Without a detail the answer did not come from our gateway: the connection itself failed.
  const lost = !detail && (error.code === Code.Unknown || error.code === Code.Internal);
  return {
    ...(lost ? UNAVAILABLE : words(error, reason)),
    code: lost ? Code.Unavailable : error.code,
    reason,
    field: detail?.field ?? '',
    referenceId: detail?.referenceId ?? '',
    retryable: RETRYABLE.has(error.code),
  };
}

/** The reason of an error, for example "SLOT_TAKEN", or empty. */
export function errorReason(error: unknown): string {
  return describeError(error).reason;
}
