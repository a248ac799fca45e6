/**
 * What people type, by the rule that the services have, too (`services/shared/kernel/src/typed.rs`):
 * both are tested with one list of cases, and the page is never narrower than the services. Marks that
 * a person neither sees nor means are dropped and never a reason to refuse.
 */

export type TextProblem = 'missing' | 'letterless' | 'control' | 'too_long';

/** What was read of a text, or what is wrong with it. */
export type Read<Problem> =
  | { read: string; problem?: undefined }
  | { read?: undefined; problem: Problem };

// What turns the direction of its surroundings, what has no width and no meaning, the place of a
// picture that was not pasted, and no characters.
const DROPPED = /[\u00ad\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc\ufffe\uffff]/gu;
// What a text of several lines may need, for directions and flags, and a line does not.
const OF_TEXT = /[\u061c\u200e\u200f\u{e0000}-\u{e007f}]/gu;
// What cannot be seen by itself: joiners, fillers, selectors, and marks of old scripts, of shorthand
// and of music.
const WITHOUT_INK =
  /\u034f|[\u115f\u1160]|\u17b4|\u17b5|[\u180b-\u180f]|\u200c|\u200d|[\u2800\u3164]|[\ufe00-\ufe0f]|\uffa0|[\u{13430}-\u{1343f}]|\u{16fe4}|[\u{1bca0}-\u{1bca3}]|\u{1d159}|[\u{1d173}-\u{1d17a}]|[\u{e0080}-\u{e0fff}]/gu;
const BLANKS = /[\s\u0085]+/gu;
const CONTROL = /\p{Cc}/gu;
const LETTER = /\p{Alphabetic}/u;

/** The characters that can be seen. */
function shown(text: string): string {
  return withoutMarks(text).replace(WITHOUT_INK, '').replace(BLANKS, '').replace(CONTROL, '');
}

/** The same text without what cannot be seen: for a field that the browser itself judges. */
export function withoutMarks(typed: string): string {
  return typed.replace(DROPPED, '').replace(OF_TEXT, '');
}

function length(text: string): number {
  return [...text].length;
}

/** A line that a person reads, such as a name or a signature. */
export function readLine(typed: string, max: number): Read<TextProblem> {
  const read = withoutMarks(typed).replace(BLANKS, ' ').trim();
  if (!shown(read)) return { problem: 'missing' };
  if (/\p{Cc}/u.test(read)) return { problem: 'control' };
  if (!LETTER.test(shown(read))) return { problem: 'letterless' };
  return length(read) > max ? { problem: 'too_long' } : { read };
}

/** A text of several lines, such as a note or a review; it may be empty. */
export function readText(typed: string, max: number): Read<TextProblem> {
  const lines = typed.replace(/\r\n/g, '\n').replace(/[\r\v\f\u0085\u2028\u2029]/g, '\n');
  const plain = lines.replace(/\t/g, ' ').replace(DROPPED, '');
  const read = plain.replace(/(?!\n)\p{Cc}/gu, '').trim();
  if (!shown(read)) return { read: '' };
  return length(read) > max ? { problem: 'too_long' } : { read };
}

/** The ASCII form of an international domain, by the browser's own reading of addresses. */
function asciiDomain(domain: string): string | undefined {
  if (!/[^\0-\x7f]/.test(domain)) return domain.toLowerCase();
  if (/[\s\p{Cc}%/?#:\\[\]@]/u.test(domain)) return undefined;
  try {
    return new URL(`http://${domain}/`).hostname;
  } catch {
    return undefined;
  }
}

function isDomain(domain: string): boolean {
  const labels = domain.split('.');
  const isLabel = (label: string) => /^(?!-)[a-z\d-]{1,63}(?<!-)$/i.test(label);
  return labels.length > 1 && labels.every(isLabel) && !/^\d+$/.test(labels.at(-1) ?? '');
}

/** A mail address, its domain in ASCII. */
export function readMailAddress(typed: string): Read<'missing' | 'malformed'> {
  const plain = withoutMarks(typed)
    .trim()
    .replace(/^mailto:/i, '');
  if (!plain) return { problem: 'missing' };
  const at = plain.lastIndexOf('@');
  const local = plain.slice(0, Math.max(at, 0));
  const domain = asciiDomain(plain.slice(at + 1)) ?? '';
  const formed = /^(?!\.)(?!.*\.\.)[\w!#$%&'*+\-/=?^`{|}~.]{1,64}(?<!\.)$/.test(local);
  const read = `${local}@${domain}`;
  const good = at > 0 && formed && isDomain(domain) && read.length <= 254;
  return good ? { read } : { problem: 'malformed' };
}

/** A decimal digit of any script in ASCII: each script's ten follow one another, from its zero. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}

/** The digits of a text, such as those of a code that was pasted with blanks and dashes. */
export function readDigits(typed: string): string {
  return typed.replace(/\p{Nd}/gu, asciiDigit).replace(/\D/g, '');
}

/** A number with plain digits, blanks, dashes, brackets and plus, and nothing that cannot be seen. */
function plainNumber(typed: string): string {
  return withoutMarks(typed)
    .replace(WITHOUT_INK, '')
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(/[\s\u0085]/gu, ' ')
    .replace(/[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g, '-')
    .replace(/[＋（）．]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
}

/** A number with letters, such as that of a tax payer, without the blanks and dashes in it. */
export function readNumber(typed: string): string {
  return plainNumber(typed).replace(/[ -]/g, '');
}

/** A phone number with plain digits, blanks and dashes. */
export function readPhone(typed: string): string {
  const plain = plainNumber(typed);
  return plain.trim().replace(/^tel:/i, '').trimStart();
}

const PHONE_DIGITS_MIN = 5;

/** Whether a number may be one; which numbers exist the service knows. */
export function mayBePhone(typed: string): boolean {
  return readDigits(readPhone(typed)).length >= PHONE_DIGITS_MIN;
}
