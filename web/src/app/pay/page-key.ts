/**
 * The key of a payment page. It travels behind the #, which no server and no log sees. This browser
 * remembers the one that was opened last, so that the provider's page can lead back without it.
 */
const KEY = 'paymentPageKey';
const IN_ADDRESS = /(?:^#|&)key=([A-Za-z0-9_-]{43})(?:&|$)/;

/** The key that an address's fragment holds, or nothing. */
export function pageKeyIn(hash: string): string | undefined {
  return IN_ADDRESS.exec(hash)?.[1];
}

export function rememberPageKey(pageKey: string): void {
  try {
    localStorage.setItem(KEY, pageKey);
  } catch {
    // The address in the mail works without it.
  }
}

/** The key of the address, or the one that was opened last; nothing where there is neither. */
export function knownPageKey(hash: string): string | undefined {
  const asked = pageKeyIn(hash);
  if (asked || hash.includes('key=')) return asked;
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

/** "bkg_…" of a key, whose first 16 bytes are the booking's id. */
export function bookingOfKey(pageKey: string): string | undefined {
  try {
    const bytes = atob(pageKey.replaceAll('-', '+').replaceAll('_', '/')).slice(0, 16);
    const hex = [...bytes].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0'));
    return `bkg_${hex.join('')}`;
  } catch {
    return undefined;
  }
}

/** Whether the page that was opened last is that of this booking. */
export function isRememberedBooking(bookingId: string): boolean {
  const pageKey = knownPageKey('');
  return pageKey !== undefined && bookingId !== '' && bookingOfKey(pageKey) === bookingId;
}
