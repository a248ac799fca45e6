/** Messages that open in WhatsApp on the member's own phone. No service is named: others may read them. */
import { formatDate, formatTime, type Zone } from '@/lib/time';

const INDIA = '91';
const LOCAL_DIGITS = 10;
const DIGITS = { min: 8, max: 15 };

/** The number as wa.me wants it, from E.164 or as it is written in India; nothing for what is none. */
export function whatsappNumber(phone: string): string | undefined {
  const digits = phone.replace(/\D/g, '').replace(/^00/, '');
  if (digits.length < DIGITS.min || digits.length > DIGITS.max) return undefined;
  if (phone.trim().startsWith('+')) return digits;
  const local = digits.replace(/^0/, '');
  return local.length === LOCAL_DIGITS ? `${INDIA}${local}` : digits;
}

/** The address that opens WhatsApp with these words; nothing where the number is none. */
export function whatsappLink(phone: string, words: string): string | undefined {
  const number = whatsappNumber(phone);
  return number && `https://wa.me/${number}?text=${encodeURIComponent(words)}`;
}

export type Greeting = { firstName: string; practice: string; startsAt: Date; zone: Zone };

function session({ firstName, practice, startsAt, zone }: Greeting): string {
  const name = firstName ? `Hello ${firstName}` : 'Hello';
  const when = `${formatDate(startsAt, zone)} at ${formatTime(startsAt, zone)}`;
  return `${name}, this is ${practice} about your session on ${when}.`;
}

/** About a session that takes place. */
export function sessionMessage(greeting: Greeting): string {
  return session(greeting);
}

/** About a time that is held, with the page on which it is paid where its address is known. */
export function paymentMessage(greeting: Greeting, page = ''): string {
  const ask = page
    ? `Please agree and pay on this page, and the time is yours: ${page}`
    : 'The time is kept for you until it is paid; the way to pay is in our mail.';
  return `${session(greeting)} ${ask}`;
}
