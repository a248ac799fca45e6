/**
 * A name and a mail address that a page of another site knows already. They go from page to page by a
 * message or in the fragment of an address, which no browser sends to a server.
 */

export type Prefill = { name: string; email: string };

export const NO_PREFILL: Prefill = { name: '', email: '' };

const NAME_CHARS_MAX = 160;
const EMAIL_CHARS_MAX = 254;
const EMAIL = /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/;

/** One line of plain text, or nothing. */
function line(value: unknown, charsMax: number): string {
  if (typeof value !== 'string') return '';
  const text = value.trim();
  return text.length <= charsMax && !/\p{Cc}/u.test(text) ? text : '';
}

/** What can be filled in of values of any kind; the rest is as if it were not there. */
export function readPrefill(given: { name?: unknown; email?: unknown }): Prefill {
  const email = line(given.email, EMAIL_CHARS_MAX);
  return { name: line(given.name, NAME_CHARS_MAX), email: EMAIL.test(email) ? email : '' };
}

/** What the fragment of an address says, with or without its sign. */
export function parsePrefill(fragment: string): Prefill {
  const values = new URLSearchParams(fragment.replace(/^#/, ''));
  return readPrefill({ name: values.get('name'), email: values.get('email') });
}

/** The fragment with its sign, or empty where there is nothing to fill in. */
export function prefillFragment(prefill: Prefill): string {
  const entries = Object.entries(prefill).filter(([, value]) => value);
  return entries.length > 0 ? `#${new URLSearchParams(entries)}` : '';
}
