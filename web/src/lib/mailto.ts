/**
 * A link that opens a mail to an address that a stranger typed. The parts are escaped, so that an
 * address cannot add copies, a subject or a text to the mail.
 */
export function mailto(address: string): string {
  return `mailto:${address.split('@').map(encodeURIComponent).join('@')}`;
}
