/** The letters of a text as a reader counts them, each with its marks. */

/** What a browser without a segmenter is told: a sign with its marks, and what a joiner ties to it. */
const LETTER = /.\p{M}*(?:\u200d.?\p{M}*)*/gsu;

/** The most marks on one letter that any script needs, rings included; more leave the line. */
const MORE_MARKS = /([\p{Mn}\p{Me}]{4})[\p{Mn}\p{Me}]+/gu;

/** The same text without the marks that only draw over what is around it. */
export function fewMarks(text: string): string {
  return text.replace(MORE_MARKS, '$1');
}

export function* lettersOf(text: string): Generator<string> {
  if (typeof Intl.Segmenter !== 'function') {
    yield* text.match(LETTER) ?? [];
    return;
  }
  const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text);
  for (const { segment } of segments) yield segment;
}
