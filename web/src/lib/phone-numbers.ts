/** Phone numbers in a text of the practice's, found by their digits. */

export type Piece = {
  text: string;
  /** What to dial, where the piece is a number. */
  number?: string;
};

/**
 * Digits with the marks that stand in written numbers, and several of them with strokes in between.
 * What is part of a word, an amount, a time or a decimal is none.
 */
const NUMBERS =
  /(^|[^\p{L}\p{N}₹$.,:+-])([+(]*\p{Nd}[\p{Nd} \u00a0()+/-]*\p{Nd})(?![\p{L}\p{N}]|[.,:]\p{Nd})/gu;
const DIGITS = { min: 3, max: 15 };

/** Digits of each script of India as a dial has them. */
function dialled(written: string): string {
  const plus = written.trim().startsWith('+') ? '+' : '';
  const digits = [...written].filter((sign) => /\p{Nd}/u.test(sign));
  return plus + digits.map(digitValue).join('');
}

/** The ten digits of a script follow each other, and the sign before the first is none. */
function digitValue(sign: string): number {
  const code = sign.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return value;
}

/** "112/108" is two numbers; "24/7" is none, and neither is "24/7/365". */
function numbersIn(written: string): Piece[] | undefined {
  const pieces = written.split(/(\/)/).map((text): Piece => {
    return text === '/' ? { text } : { text, number: dialled(text) };
  });
  const lengths = pieces.flatMap(({ number }) => number?.replace('+', '').length ?? []);
  const good = lengths.every((count) => count >= DIGITS.min && count <= DIGITS.max);
  return good ? pieces : undefined;
}

/** The text in pieces, in order; nothing of it is lost. */
export function withNumbers(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of text.matchAll(NUMBERS)) {
    const [, before = '', written = ''] = found;
    const numbers = numbersIn(written);
    if (!numbers) continue;
    const at = found.index + before.length;
    if (at > from) pieces.push({ text: text.slice(from, at) });
    pieces.push(...numbers);
    from = at + written.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}
