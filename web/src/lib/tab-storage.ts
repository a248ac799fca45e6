/**
 * What one tab remembers. Storage can be refused by the browser; everything that is kept here is a
 * convenience, so a refusal is answered with "nothing there".
 */
export function readTab(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a text, or forgets it when there is none. */
export function writeTab(key: string, value: string | null): void {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, value);
  } catch {
    // The page works without it.
  }
}

/** The keys that the booking flow writes while it runs and clears when it is complete. */
export const FLOW_KEYS = {
  service: 'selectedService',
  dateTime: 'selectedDateTime',
  /** Holds the provider's order; the name is that of the first payment form, a link. */
  order: 'paymentLinkId',
} as const;

export function clearFlowKeys(): void {
  for (const key of Object.values(FLOW_KEYS)) writeTab(key, null);
}
