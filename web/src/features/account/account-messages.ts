/** What the identity service says, in words for people. */

/** The fields that these pages have. */
export type AccountField = 'firstName' | 'lastName' | 'email' | 'phone' | 'password' | 'code';

export type AccountProblem = {
  /** A stable word of the service, or empty. */
  code: string;
  title: string;
  message: string;
  field?: AccountField;
};

type AuthFault = { code?: string; status?: number; reasons?: readonly string[]; message?: string };

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
};

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

function slowDown(code: string, message: string): AccountProblem {
  const seconds = waitSeconds(message);
  const when = seconds ? `in ${seconds} seconds` : 'in a few minutes';
  return { code, title: 'One moment, please', message: `Please try again ${when}.` };
}

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
  return {
    code,
    title: 'This part is not available right now',
    message: 'Nothing is lost. Please try again in a moment.',
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
  if (SLOW_DOWN.has(code) || fault.status === 429) return slowDown(code, message);
  const known = KNOWN[code];
  return known ? { code, ...known } : unsaid(fault, message);
}
