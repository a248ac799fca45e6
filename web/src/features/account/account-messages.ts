/** What the identity service says, in words for people. */
import { isOnline } from '@/lib/use-online';

/** The fields that these pages have. */
export type AccountField =
  | ('firstName' | 'lastName' | 'email' | 'phone' | 'name')
  | ('password' | 'currentPassword' | 'code');

export type AccountProblem = {
  /** A stable word of the service, or empty. */
  code: string;
  title: string;
  message: string;
  field?: AccountField;
  /** How long to wait before the same can be asked again, where the service says so. */
  seconds?: number;
  /** No answer came: the same call may succeed when the connection is back. */
  lost?: boolean;
};

type AuthFault = {
  code?: string;
  status?: number;
  reasons?: readonly string[];
  message?: string;
  retryAfterSeconds?: number;
};

/** The session is over: only signing in again helps. */
const SESSION_OVER = {
  title: 'Please sign in again',
  message: 'Your session has ended. Sign in, and you can go on from here.',
};
const WRONG_CODE = {
  title: 'The code did not work',
  message: 'That code is not right. Check it, or wait for the next one.',
  field: 'code',
} as const;
const OLD_CHALLENGE = {
  title: 'That took too long',
  message: 'Please try once more.',
};
const WAY_BACK = {
  title: 'You are not signed in',
  message: 'The way back took too long, or it began in another tab. Please try again.',
};
const NAME_TAKEN = {
  title: 'Please choose another name',
  message: 'You have one with this name already.',
  field: 'name',
} as const;

const WEAK: Record<string, string> = {
  length: 'Use at least 10 characters.',
  pwned: 'That password is too easy to guess. Please choose another.',
  characters: 'Please mix more kinds of characters.',
};

const KNOWN: Record<string, Omit<AccountProblem, 'code'>> = {
  invalid_credentials: {
    title: 'That did not match',
    message: 'Email or password is not right. Check both, or reset your password.',
    field: 'password',
  },
  email_not_confirmed: {
    title: 'One step is missing',
    message: 'Your email is not confirmed yet. Enter the code that we sent you.',
  },
  user_already_exists: {
    title: 'You already have an account',
    message: 'There is an account with this email. Please sign in instead.',
    field: 'email',
  },
  email_exists: {
    title: 'You already have an account',
    message: 'There is an account with this email. Please sign in instead.',
    field: 'email',
  },
  email_address_invalid: {
    title: 'Please check your email',
    message: 'This does not look like an email address.',
    field: 'email',
  },
  otp_expired: {
    title: 'The code did not work',
    message: 'That code is wrong or has expired. Check it, or request a new one.',
    field: 'code',
  },
  email_change_elsewhere: {
    title: 'Open this where you asked for it',
    message:
      'Nothing has changed. Open the link in the browser where you asked for the new address, or type the six digits there, on your account page.',
  },
  same_password: {
    title: 'Please choose another password',
    message: 'The new password must differ from the old one.',
    field: 'password',
  },
  signup_disabled: {
    title: 'New accounts are closed',
    message: 'We do not take new accounts just now. Please write or call us.',
  },
  user_banned: {
    title: 'This account is closed',
    message: 'Please write or call us if you think that this is a mistake.',
  },
  session_not_found: {
    title: 'Please start again',
    message: 'This took too long, and we signed you out to be safe.',
  },
  session_expired: SESSION_OVER,
  bad_jwt: SESSION_OVER,
  no_authorization: SESSION_OVER,
  refresh_token_not_found: SESSION_OVER,
  refresh_token_already_used: SESSION_OVER,
  phone_exists: {
    title: 'Please check your phone number',
    message: 'This number belongs to another account.',
    field: 'phone',
  },
  email_address_not_authorized: {
    title: 'Please check your email',
    message: 'We cannot send mails to this address.',
    field: 'email',
  },
  captcha_failed: {
    title: 'Please try again',
    message: 'We could not check that this browser is a real one. Reload the page and try again.',
  },
  provider_disabled: {
    title: 'This way is not offered',
    message: 'Please sign in another way.',
  },
  insufficient_aal: {
    title: "Please confirm that it's you",
    message: 'This needs your second step.',
  },
  reauthentication_needed: {
    title: 'Please use a code',
    message: 'For this we need a code that we send to your email.',
  },
  reauthentication_not_valid: {
    title: 'The code did not work',
    message: 'That code is wrong or has expired. Check it, or request a new one.',
    field: 'code',
  },
  current_password_required: {
    title: 'Please enter your current password',
    message: 'Enter the password that you use now, or use a code from our mail.',
    field: 'currentPassword',
  },
  current_password_invalid: {
    title: 'That did not match',
    message: 'Your current password is not right. You can use a code from our mail instead.',
    field: 'currentPassword',
  },
  mfa_verification_failed: WRONG_CODE,
  mfa_verification_rejected: WRONG_CODE,
  mfa_challenge_expired: OLD_CHALLENGE,
  mfa_ip_address_mismatch: OLD_CHALLENGE,
  mfa_factor_not_found: {
    title: 'It is not there any more',
    message: 'This second step was removed. Reload the page to see what you have.',
  },
  mfa_factor_name_conflict: NAME_TAKEN,
  too_many_enrolled_mfa_factors: {
    title: 'You have as many as you can have',
    message: 'Remove one that you do not use, and try again.',
  },
  bad_code_verifier: WAY_BACK,
  flow_state_not_found: WAY_BACK,
  flow_state_expired: WAY_BACK,
  passkey_cancelled: {
    title: 'No passkey was used',
    message: 'The window was closed, or the time ran out. Try again, or use another way.',
  },
  passkey_exists: {
    title: 'This device has a passkey already',
    message: 'You can sign in with it. There is nothing more to do here.',
  },
  passkey_unsupported: {
    title: 'Passkeys do not work here',
    message: 'This browser or device cannot do this. Try another one, or use another way.',
  },
  passkey_other_account: {
    title: 'That passkey is of another account',
    message: 'We signed you out to be safe. Please sign in again.',
  },
  passkey_unknown: {
    title: 'We do not know this passkey',
    message: 'It may have been removed from your account. Please sign in another way.',
  },
  passkey_not_found: {
    title: 'It is not there any more',
    message: 'This passkey was removed. Reload the page to see what you have.',
  },
};

const SESSION_OVER_CODES = new Set([
  ...['session_not_found', 'session_expired', 'bad_jwt', 'no_authorization', 'user_not_found'],
  ...['refresh_token_not_found', 'refresh_token_already_used'],
]);

/** Only signing in again helps. */
export function isSessionOver({ code }: AccountProblem): boolean {
  return SESSION_OVER_CODES.has(code);
}

const SLOW_DOWN = new Set([
  'over_request_rate_limit',
  'over_email_send_rate_limit',
  'over_sms_send_rate_limit',
]);

function weakWords(reasons: readonly string[]): string {
  const words = reasons.map((reason) => WEAK[reason]).filter(Boolean);
  return words.length > 0 ? words.join(' ') : 'Please choose a stronger password.';
}

/** The wait that the service names: "… after 42 seconds." */
export function waitSeconds(message: string): number | undefined {
  const found = /after (\d+) second/.exec(message);
  return found?.[1] ? Number.parseInt(found[1], 10) : undefined;
}

/** The password is part of guesses at other accounts, right or not: a code by mail signs in. */
const BY_CODE = 'Please sign in with a code instead: we send it to your email.';

/** More seconds than this are said as minutes. */
const SECONDS_SAID_MAX = 120;

function slowDown(
  code: string,
  seconds: number | undefined,
  before = '',
  title = 'One moment, please',
): AccountProblem {
  const minutes = `${Math.ceil((seconds ?? 0) / 60)} minutes`;
  const wait = (seconds ?? 0) > SECONDS_SAID_MAX ? minutes : `${seconds} seconds`;
  const when = seconds ? `in ${wait}` : 'in a few minutes';
  const words = { code, title, message: `${before}Please try again ${when}.` };
  return seconds ? { ...words, seconds } : words;
}

/** The hour's mails with codes are used up. Whether the address has an account is not said. */
const ALL_CODES_SENT =
  'Too many codes are being asked for. If you have an account, look into your mailbox: a code ' +
  'may be on its way, and its link signs you in. Otherwise: ';

function validationField(message: string): AccountField | undefined {
  if (/password/i.test(message)) return 'password';
  if (/email/i.test(message)) return 'email';
  return /phone/i.test(message) ? 'phone' : undefined;
}

function unsaid(fault: AuthFault, message: string): AccountProblem {
  const code = fault.code ?? '';
  if (code === 'validation_failed' || fault.status === 422) {
    const field = validationField(message);
    return { code, title: 'Please check this', message: 'Please check what you entered.', field };
  }
  const lost = !fault.status;
  if (lost && !isOnline()) {
    const again = "We'll reconnect as soon as you're back online. Nothing is lost.";
    return { code, title: 'You are offline', message: again, lost };
  }
  return {
    code,
    title: 'This part is not available right now',
    message: 'Nothing is lost. Please try again in a moment.',
    lost,
  };
}

/** Describes any error that a call to the identity service can end with. */
export function describeAccountError(error: unknown): AccountProblem {
  const fault = (error ?? {}) as AuthFault;
  const code = fault.code ?? '';
  const message = fault.message ?? '';
  if (code === 'weak_password') {
    const words = weakWords(fault.reasons ?? []);
    return { code, title: 'Please choose another password', message: words, field: 'password' };
  }
  if (SLOW_DOWN.has(code) && /code by mail/.test(message)) {
    return { code, title: 'One moment, please', message: BY_CODE };
  }
  if (SLOW_DOWN.has(code) && /^Too many codes/.test(message)) {
    const seconds = waitSeconds(message);
    return slowDown(code, seconds, ALL_CODES_SENT, 'No new code at the moment');
  }
  if (SLOW_DOWN.has(code) || fault.status === 429) {
    return slowDown(code, waitSeconds(message) ?? fault.retryAfterSeconds);
  }
  const known = KNOWN[code];
  return known ? { code, ...known } : unsaid(fault, message);
}
