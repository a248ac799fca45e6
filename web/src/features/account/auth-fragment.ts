/** What the link of a mail brings in the address's fragment, which browsers send to no server. */

function answerOf(hash: string): URLSearchParams {
  return new URLSearchParams(hash.replace(/^#/, ''));
}

/** The link was used already, is too old, or was altered. */
export function linkError(hash: string): boolean {
  const answer = answerOf(hash);
  return answer.has('error_code') || answer.has('error');
}

/** Another service, through which a person wanted to sign in, has refused or was left. */
export function providerError(hash: string): boolean {
  const code = answerOf(hash).get('error_code') ?? '';
  return linkError(hash) && !/^(otp_|flow_state)/.test(code);
}

/** What the links of mails are for. */
export type LinkType = 'signup' | 'recovery' | 'magiclink' | 'email_change' | 'invite';

const LINK_TYPES: readonly string[] = ['recovery', 'magiclink', 'email_change', 'invite'];

export type MailLink = {
  tokenHash: string;
  type: LinkType;
  /** Where it leads on, or empty. */
  redirectTo: string;
  /** The account whose address is to change, shortened, or empty. */
  account: string;
};

/** The link of a mail of ours: nothing has happened yet. */
export function mailLink(hash: string): MailLink | undefined {
  const answer = answerOf(hash);
  const tokenHash = answer.get('token_hash');
  const type = answer.get('type');
  if (!tokenHash || !type) return undefined;
  const redirectTo = answer.get('redirect_to') ?? '';
  const known = LINK_TYPES.includes(type);
  const account = answer.get('account') ?? '';
  return { tokenHash, type: known ? (type as LinkType) : 'signup', redirectTo, account };
}

/** The link has signed in, for a new password; other identity services do so. */
export function isRecoveryLink(hash: string): boolean {
  const answer = answerOf(hash);
  return answer.get('type') === 'recovery' && answer.has('access_token');
}
