/**
 * The key of an invitation. It travels behind the #, which no server and no log sees. This browser
 * remembers it until the invitation is answered, so that account pages can lead back without it.
 */
const KEY = 'invitationKey';
const IN_ADDRESS = /(?:^#|&)key=([A-Za-z0-9_-]{43})(?:&|$)/;

export function rememberInvitationKey(key: string): void {
  try {
    localStorage.setItem(KEY, key);
  } catch {
    // The link in the mail works without it.
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
