/**
 * The key of an invitation. It travels behind the #, which no server and no log sees. This browser
 * remembers it until the invitation is answered, so that account pages can lead back without it.
 */
const KEY = 'invitationKey';
const IN_ADDRESS = /(?:^#|&)key=([A-Za-z0-9_-]{43})(?:&|$)/;

/** Keeps the key for this browser and takes it out of the address bar and the history. */
export function rememberInvitationKey(key: string): void {
  try {
    localStorage.setItem(KEY, key);
  } catch {
    // The link in the mail works without it, and the address is all that a reload has.
    return;
  }
  const { hash, pathname, search } = window.location;
  if (IN_ADDRESS.test(hash)) {
    window.history.replaceState(window.history.state, '', `${pathname}${search}`);
  }
}

export function forgetInvitationKey(): void {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Nothing was remembered.
  }
}

/** The key of the address, or the remembered one; nothing where there is neither. */
export function knownInvitationKey(hash: string): string | undefined {
  const asked = IN_ADDRESS.exec(hash)?.[1];
  if (asked || hash.includes('key=')) return asked;
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}
