/**
 * Draws the pictures that stand for pages where their links are shared: the page's title and the
 * practice's name beside the same drawn art that the page shows. And the practice's mark as an icon
 * for a phone's home screen.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import type { ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { motifOf } from '@/components/art/motifs';
import { seededNumbers } from '@/components/art/random';
import { LogoMark } from '@/components/logo';
import type { Snapshot } from '@/lib/snapshot';
import { CARD_HEIGHT, CARD_WIDTH, type Card } from './card';
import { linesOf, outlined, readTypefaces, type Typefaces, widthOf } from './card-text';

const MARGIN = 72;
/** The art fills what is right of this. */
const ART_X = 700;
const TEXT_WIDTH = ART_X - MARGIN - 48;
/** A title is as large as its lines allow. */
const TITLE_SIZES = [78, 68, 58, 48];
const TITLE_LINES_MAX = 3;
/** What iPhones ask for. */
const ICON_SIZE = 180;
/** What previews take without complaint, and a phone loads at once. */
const BYTES_MAX = 150_000;

const require = createRequire(`${process.cwd()}/package.json`);

type Colours = Record<string, string>;

/** The light theme's colours and those of a ground, from the site's own style sheet. */
function readColours(styles: string, ground: string): Colours {
  const colours: Colours = {};
  for (const selector of [':root', `.art-${ground}`]) {
    const start = styles.indexOf(`${selector} {`);
    const block = start < 0 ? '' : styles.slice(start, styles.indexOf('}', start));
    for (const [, name, value] of block.matchAll(/(--[\w-]+):\s*([^;]+);/g)) {
      if (name && value) colours[name] = value;
    }
  }
  return colours;
}

/** Colours in place of their names, which mean nothing outside of a browser. */
function coloured(svg: string, colours: Colours): string {
  const named = /var\((--[\w-]+)\)/g;
  let result = svg;
  while (result.match(named)) result = result.replace(named, (_, name) => colours[name] ?? '#000');
  return result;
}

function drawing(element: ReactElement): string {
  return renderToStaticMarkup(element);
}

function artOf({ seed }: Card['art']): string {
  const next = seededNumbers(seed);
  const Motif = motifOf(seed, next);
  return drawing(
    <svg
      x={ART_X}
      width={CARD_WIDTH - ART_X}
      height={CARD_HEIGHT}
      viewBox="0 0 400 300"
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
    >
      <rect width="400" height="300" fill="var(--art-ground)" />
      <Motif next={next} />
    </svg>,
  );
}

function titleOf({ title }: Card, { display }: Typefaces): { lines: string[]; size: number } {
  const fitting = TITLE_SIZES.map((size) => ({
    size,
    lines: linesOf(display, title, size, TEXT_WIDTH),
  }));
  const good = fitting.find(({ lines }) => lines.length <= TITLE_LINES_MAX);
  const { size, lines } = good ?? { size: 48, lines: fitting.at(-1)?.lines ?? [] };
  return { size, lines: lines.slice(0, TITLE_LINES_MAX) };
}

function svgOf(card: Card, practiceName: string, faces: Typefaces): string {
  const { lines, size } = titleOf(card, faces);
  const leading = Math.round(size * 1.14);
  const ink = 'var(--ink)';
  const soft = 'var(--ink-2)';
  // The title and the line below it are centred in the space beside the mark.
  const top = Math.round(326 - ((lines.length - 1) * leading) / 2 + size * 0.2);
  const title = lines.map((line, index) =>
    outlined(faces.display, line, { x: MARGIN, y: top + index * leading, size, fill: ink }),
  );
  const lineSize = Math.min(30, (30 * TEXT_WIDTH) / widthOf(faces.text, card.line, 30));
  const below = top + (lines.length - 1) * leading + 64;
  const mark = drawing(<LogoMark />).replace(
    '<svg ',
    `<svg x="${MARGIN}" y="64" width="64" height="64" `,
  );
  const name = { x: MARGIN + 82, y: 109, size: 40, fill: ink };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${CARD_WIDTH}" height="${CARD_HEIGHT}">`,
    `<rect width="${CARD_WIDTH}" height="${CARD_HEIGHT}" fill="var(--paper)"/>`,
    artOf(card.art),
    mark,
    outlined(faces.display, practiceName, name),
    ...title,
    outlined(faces.text, card.line, { x: MARGIN, y: below, size: lineSize, fill: soft }),
    `<rect x="${MARGIN}" y="${CARD_HEIGHT - 76}" width="72" height="6" rx="3" fill="var(--clay)"/>`,
    '</svg>',
  ].join('');
}

/** The mark on the paper's colour: phones cut the corners themselves. */
function iconSvg(): string {
  const mark = drawing(<LogoMark />).replace(
    '<svg ',
    '<svg x="20" y="20" width="140" height="140" ',
  );
  const paper = '<rect width="180" height="180" fill="var(--paper)"/>';
  const size = `width="${ICON_SIZE}" height="${ICON_SIZE}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 180 180">${paper}${mark}</svg>`;
}

export type CardPicture = { name: string; picture: Uint8Array };

export type Pictures = { cards: CardPicture[]; icon: Uint8Array };

export async function drawPictures(
  cards: readonly Card[],
  { practice }: Snapshot,
): Promise<Pictures> {
  await initWasm(readFileSync(require.resolve('@resvg/resvg-wasm/index_bg.wasm')));
  const faces = await readTypefaces();
  const styles = readFileSync('src/styles.css', 'utf8');
  const draw = (svg: string, ground: string) =>
    new Resvg(coloured(svg, readColours(styles, ground))).render().asPng();
  const drawn = cards.map((card) => {
    const picture = draw(svgOf(card, practice.name, faces), card.art.accent);
    if (picture.length > BYTES_MAX) throw new Error(`The card ${card.name} is too large.`);
    return { name: card.name, picture };
  });
  return { cards: drawn, icon: draw(iconSvg(), 'leaf') };
}
