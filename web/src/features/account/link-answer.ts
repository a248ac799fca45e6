/** What the link of a mail brings in the address's fragment. auth-js takes the session from it. */

function answerOf(hash: string): URLSearchParams {
  return new URLSearchParams(hash.replace(/^#/, ''));
}

/** The link was used already, is too old, or was altered. */
export function linkError(hash: string): boolean {
  const answer = answerOf(hash);
  return answer.has('error_code') || answer.has('error');
}

/** The link has signed somebody in who wants a new password. */
export function isRecoveryLink(hash: string): boolean {
  const answer = answerOf(hash);
  return answer.get('type') === 'recovery' && answer.has('access_token');
}
