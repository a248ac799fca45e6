/** Words as outlines in the site's own typefaces, so that a card looks the same wherever it is made. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkit';
import { decompress } from 'wawoff2';

export type Typeface = { font: Font };

/** The typefaces lie beside the packages of this folder. */
const require = createRequire(`${process.cwd()}/package.json`);

async function readTypeface(file: string, weight: number): Promise<Typeface> {
  const packed = readFileSync(require.resolve(file));
  const font = create(Buffer.from(await decompress(packed)));
  return { font: font.getVariation({ wght: weight }) };
}

export type Typefaces = { display: Typeface; text: Typeface };

export async function readTypefaces(): Promise<Typefaces> {
  const fraunces = '@fontsource-variable/fraunces/files/fraunces-latin-wght-normal.woff2';
  const figtree = '@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2';
  return { display: await readTypeface(fraunces, 560), text: await readTypeface(figtree, 500) };
}

/** The text without letters that the typeface lacks; a box in their place would say less. */
function drawable({ font }: Typeface, text: string): string {
  const letters = [...text].filter((letter) =>
    font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0),
  );
  return letters.join('').trim();
}

export function widthOf(face: Typeface, text: string, size: number): number {
  return (face.font.layout(drawable(face, text)).advanceWidth * size) / face.font.unitsPerEm;
}

/** Lines that fit; a word that is too long has a line of its own. */
export function linesOf(face: Typeface, text: string, size: number, width: number): string[] {
  const lines: string[] = [];
  for (const word of drawable(face, text).split(/\s+/)) {
    const last = lines.at(-1);
    const longer = last === undefined ? word : `${last} ${word}`;
    if (last !== undefined && widthOf(face, longer, size) <= width)
      lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** A line of text as the paths of its letters, its baseline beginning at a point. */
export function outlined(
  face: Typeface,
  text: string,
  { x, y, size, fill }: { x: number; y: number; size: number; fill: string },
): string {
  const scale = size / face.font.unitsPerEm;
  const { glyphs, positions } = face.font.layout(drawable(face, text));
  let pen = 0;
  const letters = glyphs.map((glyph, index) => {
    const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[index] ?? {};
    const at = `translate(${pen + xOffset} ${yOffset})`;
    pen += xAdvance;
    return `<path transform="${at}" d="${glyph.path.toSVG()}"/>`;
  });
  const place = `translate(${x} ${y}) scale(${scale} ${-scale})`;
  return `<g transform="${place}" fill="${fill}">${letters.join('')}</g>`;
}
