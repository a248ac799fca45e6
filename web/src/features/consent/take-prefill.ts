/** The name and the mail address with which the widget on another site leads here. */
import { parsePrefill } from '@/lib/prefill';
import { readConsentDraft, writeConsentDraft } from './consent-draft';

/**
 * Takes them out of the address, where they would be seen, into the draft of the declaration. What is
 * in the draft already was typed, and stays.
 */
export function takePrefill(): void {
  const { hash, pathname, search } = window.location;
  const { name, email } = parsePrefill(hash);
  if (!name && !email) return;
  const { fullName, email: address, signature } = readConsentDraft();
  writeConsentDraft({ fullName: fullName || name, email: address || email, signature });
  window.history.replaceState(window.history.state, '', `${pathname}${search}`);
}
