/**
 * Mail addresses as people read them: an international domain in its own letters. Addresses are
 * stored and sent in their ASCII form. The rule is that of the mails
 * (`services/shared/kernel/src/typed/shown.rs`), and both read one list of cases: a part whose
 * letters could pass for others keeps its ASCII form.
 */

const MARK = 'xn--';
const LABEL_MAX = 63;
const BASE = 36;

/** Scripts whose letters look like Latin ones. */
const LIKE_LATIN = ['greek', 'cyrillic', 'armenian', 'georgian'];

/** First and last letter of each script; the blocks of India and Sri Lanka have one size. */
const SCRIPTS: readonly (readonly [number, number, string])[] = [
  [0x61, 0x7a, 'latin'],
  [0xdf, 0xf6, 'latin'],
  [0xf8, 0x17e, 'latin'],
  [0x1e00, 0x1eff, 'latin'],
  [0x370, 0x3ff, 'greek'],
  [0x1f00, 0x1fff, 'greek'],
  [0x400, 0x52f, 'cyrillic'],
  [0x531, 0x58f, 'armenian'],
  [0x10d0, 0x10ff, 'georgian'],
  [0x5d0, 0x5ea, 'hebrew'],
  [0x620, 0x6ff, 'arabic'],
  [0x750, 0x77f, 'arabic'],
  [0xe00, 0xe7f, 'thai'],
  [0xac00, 0xd7a3, 'hangul'],
  [0x3041, 0x3096, 'han'],
  [0x30a1, 0x30fa, 'han'],
  [0x30fc, 0x30fc, 'han'],
  [0x3400, 0x4dbf, 'han'],
  [0x4e00, 0x9fff, 'han'],
];
/** Letters that pass for i, k, n or s. */
const PASSING = [0x131, 0x138, 0x149, 0x17f];

function scriptOfLetter(letter: string): string | undefined {
  const code = letter.codePointAt(0) ?? 0;
  if (PASSING.includes(code) || letter.toLowerCase() !== letter) return undefined;
  if (code >= 0x900 && code <= 0xdff) return `block ${Math.floor(code / 0x80)}`;
  return SCRIPTS.find(([first, last]) => code >= first && code <= last)?.[2];
}

/** The one script of all letters, if there is one. */
function scriptOf(letters: string): string | undefined {
  const found = new Set<string | undefined>();
  for (const letter of letters) if (!/[0-9-]/.test(letter)) found.add(scriptOfLetter(letter));
  const [script] = found;
  return found.size === 1 ? script : undefined;
}

function adapted(delta: number, count: number, first: boolean): number {
  let left = Math.floor(delta / (first ? 700 : 2));
  left += Math.floor(left / count);
  let steps = 0;
  for (; left > 455; steps += BASE) left = Math.floor(left / 35);
  return steps + Math.floor((36 * left) / (left + 38));
}

function digitOf(letter: string): number {
  const digit = 'abcdefghijklmnopqrstuvwxyz0123456789'.indexOf(letter);
  return letter.length === 1 && digit >= 0 ? digit : Number.NaN;
}

/** RFC 3492; nothing for what is none. */
function punycode(coded: string): string | undefined {
  const split = coded.lastIndexOf('-');
  const letters = split < 0 ? [] : [...coded.slice(0, split)];
  const digits = coded.slice(split + 1);
  let [code, index, bias, at] = [128, 0, 72, 0];
  while (at < digits.length) {
    const before = index;
    for (let [weight, step] = [1, BASE]; ; step += BASE) {
      const digit = digitOf(digits.charAt(at));
      at += 1;
      index += digit * weight;
      if (!Number.isSafeInteger(index)) return undefined;
      const threshold = Math.min(Math.max(step - bias, 1), 26);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const count = letters.length + 1;
    bias = adapted(index - before, count, before === 0);
    code += Math.floor(index / count);
    index %= count;
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
    letters.splice(index, 0, String.fromCodePoint(code));
    index += 1;
  }
  return letters.join('');
}

/** The letters of an international part. */
function decoded(label: string): string | undefined {
  if (!label.startsWith(MARK) || label.length > LABEL_MAX) return undefined;
  const letters = punycode(label.slice(MARK.length));
  return letters && [...letters].some((letter) => letter > '\u007f') ? letters : undefined;
}

function shownLabel(label: string, last: string | undefined): string {
  const letters = decoded(label);
  const script = letters && scriptOf(letters);
  if (!script || (LIKE_LATIN.includes(script) && script !== last)) return label;
  return letters;
}

/** The address with its domain as people read it. What is no address stays as it is. */
export function shownAddress(address: string): string {
  const split = address.lastIndexOf('@');
  if (split < 0 || !address.includes(MARK)) return address;
  const labels = address.slice(split + 1).split('.');
  const end = decoded(labels.at(-1) ?? '');
  const last = end && scriptOf(end);
  const shown = labels.map((label) => shownLabel(label, last));
  return `${address.slice(0, split)}@${shown.join('.')}`;
}
