/**
 * What the answer of a sign-up gave to this browser. It shows, when the address is confirmed, that
 * the account was made here, so that the account keeps its password: a code from the mail alone could
 * confirm an account that a stranger has made with the same address. It opens nothing by itself. Kept
 * for all tabs, because the link of a mail opens another one.
 */

const KEY = 'signUpSecret';

/** Keeps it, where the service gives one. */
export function keepSignUpSecret(user: object | null): void {
  const secret = user && 'sign_up_secret' in user ? user.sign_up_secret : undefined;
  if (typeof secret !== 'string') return;
  try {
    localStorage.setItem(KEY, secret);
  } catch {
    // The page then asks for the password once more.
  }
}

export function readSignUpSecret(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

export function forgetSignUpSecret(): void {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Nothing was kept.
  }
}
