/**
 * The key of a payment page. It travels behind the #, which no server and no log sees. This tab
 * remembers the one that was opened last, so that the provider's page can lead back without it; no
 * other tab, no later visit and no history has it.
 */
const KEY = 'paymentPageKey';
const BOOKING_KEY = 'paymentPageBooking';
const IN_ADDRESS = /(?:^#|&)key=([A-Za-z0-9_-]{43})(?:&|$)/;

/** The key that an address's fragment holds, or nothing. */
export function pageKeyIn(hash: string): string | undefined {
  return IN_ADDRESS.exec(hash)?.[1];
}

/** Keeps the key for this tab. Returns whether the address can do without it from now on. */
function isKept(pageKey: string): boolean {
  try {
    // Earlier pages left it there for good.
    localStorage.removeItem(KEY);
    sessionStorage.setItem(KEY, pageKey);
    return true;
  } catch {
    // The address in the mail works without it.
    return false;
  }
}

/** Keeps the key for this tab and takes it out of the address bar and the history. */
export function rememberPageKey(pageKey: string): void {
  const { hash, pathname, search } = window.location;
  if (isKept(pageKey) && pageKeyIn(hash)) {
    window.history.replaceState(window.history.state, '', `${pathname}${search}`);
  }
}

/** Keeps for this tab which booking the page is of, for the way back from the provider. */
export function rememberPageBooking(bookingId: string): void {
  try {
    sessionStorage.setItem(BOOKING_KEY, bookingId);
  } catch {
    // The way back leads to the sign-in, and the mail to the page.
  }
}

/** Forgets the key, which opens nothing any more. */
export function forgetPage(): void {
  try {
    sessionStorage.removeItem(KEY);
    sessionStorage.removeItem(BOOKING_KEY);
  } catch {
    // Then nothing was kept.
  }
}

/** The key of the address, or the one that was opened last; nothing where there is neither. */
export function knownPageKey(hash: string): string | undefined {
  const asked = pageKeyIn(hash);
  if (asked || hash.includes('key=')) return asked;
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Whether the page that was opened last is that of this booking. */
export function isRememberedBooking(bookingId: string): boolean {
  try {
    return bookingId !== '' && sessionStorage.getItem(BOOKING_KEY) === bookingId;
  } catch {
    return false;
  }
}
