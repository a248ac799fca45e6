/** Cuts a text for a card at whole letters, as a reader counts them. */

import { lettersOf } from '@/lib/letters';

export const CARD_TEXT_MAX = 120;

/** The signs that join the consonant after them into one letter, in the scripts of India. */
const JOINS_NEXT = /[\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d]\u200d?$/u;
const BEGINS_WITH_LETTER = /^\p{L}/u;

/** Letters in the order of the text, each with all its marks. */
function* letters(text: string): Generator<string> {
  let open = '';
  for (const segment of lettersOf(text)) {
    // Older browsers divide a conjunct behind its joining sign; a reader does not.
    if (open && JOINS_NEXT.test(open) && BEGINS_WITH_LETTER.test(segment)) {
      open += segment;
      continue;
    }
    if (open) yield open;
    open = segment;
  }
  if (open) yield open;
}

/** The text itself where it is short enough, otherwise so many letters of it and "...". */
export function cutText(text: string, max: number = CARD_TEXT_MAX): string {
  let kept = '';
  let count = 0;
  for (const letter of letters(text)) {
    if (count === max) return `${kept}...`;
    kept += letter;
    count += 1;
  }
  return text;
}
