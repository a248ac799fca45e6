/** The colours of both themes: whatever stands on a ground can be read there. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONTRAST_MIN, contrast, parseColour } from './colours';

/** For what is no text: the borders of controls, and the ring around what has the focus. */
const SHAPE_MIN = 3;

/** The texts on each ground: by the same class names, or inside what has that ground. */
const TEXTS: Record<string, string> = {
  paper: 'ink ink-2 brand clay ok err',
  surface: 'ink ink-2 brand clay ok err',
  sunken: 'ink ink-2 brand clay err',
  'brand-soft': 'ink ink-2 brand',
  'clay-soft': 'ink clay brand',
  'plum-soft': 'plum',
  'sun-soft': 'ink ink-2 brand err',
  'ok-soft': 'ink ok',
  'warn-soft': 'ink ink-2 brand warn err',
  'err-soft': 'ink ink-2 brand err',
  brand: 'on-brand',
  'brand-strong': 'on-brand',
  err: 'surface',
};

/** On the ground `brand` the ring is `on-brand`, which is held as a text there. */
const SHAPES: Record<string, string> = {
  paper: 'control brand err focus',
  surface: 'control brand err focus',
  sunken: 'focus',
  'brand-soft': 'brand brand-strong focus',
  'clay-soft': 'focus',
  'sun-soft': 'focus',
  'ok-soft': 'focus',
  'warn-soft': 'focus',
  'err-soft': 'err focus',
};

type Tokens = Record<string, string>;

const SOURCES = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(SOURCES, file), 'utf8');
const STYLES = read('styles.css');

/** The custom properties of the first rule with this selector. */
function tokensOf(selector: string, styles: string): Tokens {
  const [, rest = ''] = styles.split(`\n${selector} {`);
  const [rule = ''] = rest.split('}');
  const found = rule.matchAll(/--([\w-]+):\s*([^;]+);/g);
  return Object.fromEntries(Array.from(found, ([, name = '', value = '']) => [name, value]));
}

const LIGHT = tokensOf(':root', STYLES);
const DARK = { ...LIGHT, ...tokensOf('  .dark', STYLES) };

function colourOf(tokens: Tokens, name: string): string {
  const colour = parseColour(tokens[name] ?? '');
  if (!colour) throw new Error(`--${name} is no colour of six digits: ${tokens[name]}`);
  return colour;
}

function pairsOf(table: Record<string, string>): string[] {
  return Object.entries(table).flatMap(([ground, names]) =>
    names.split(' ').map((name) => `${name} on ${ground}`),
  );
}

/** The pairs that cannot be told apart well enough, each with its contrast. */
function faint(tokens: Tokens, table: Record<string, string>, least: number): string[] {
  return pairsOf(table).flatMap((pair) => {
    const [one = '', other = ''] = pair.split(' on ');
    const found = contrast(colourOf(tokens, one), colourOf(tokens, other));
    return found < least ? [`${pair}: ${found.toFixed(2)}`] : [];
  });
}

/** The pairs of one list of class names, in each state; what is disabled need not be readable. */
function pairsOfClasses(list: string): string[] {
  const texts = new Map<string, string>();
  const grounds = new Map<string, string>();
  for (const [, state = '', kind, name = ''] of list.matchAll(
    /(?<!\S)(?:(\S+):)?(bg|text)-([a-z\d-]+)!?(?!\S)/g,
  )) {
    if (name in LIGHT && !state.includes('disabled')) {
      (kind === 'bg' ? grounds : texts).set(state, name);
    }
  }
  const states = new Set([...texts.keys(), ...grounds.keys()]);
  return Array.from(states).flatMap((state) => {
    const text = texts.get(state) ?? texts.get('');
    const ground = grounds.get(state) ?? grounds.get('');
    return text && ground ? [`${text} on ${ground}`] : [];
  });
}

function pairsOfSources(): Set<string> {
  const names = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  const sources = names.filter((name) => /\.tsx?$/.test(name) && !/^gen\/|\.test\./.test(name));
  // A long list of class names is written in several pieces.
  const lists = sources.flatMap((name) =>
    read(name)
      .replace(/' \+\s+'/g, '')
      .split(/['"`\n]/),
  );
  return new Set(lists.flatMap(pairsOfClasses));
}

describe.each([
  { theme: 'light', tokens: LIGHT },
  { theme: 'dark', tokens: DARK },
])('in the $theme theme', ({ tokens }) => {
  test('every text can be read on its grounds', () => {
    expect(faint(tokens, TEXTS, CONTRAST_MIN)).toEqual([]);
  });

  test('the borders of controls and the ring of the focus can be seen', () => {
    expect(faint(tokens, SHAPES, SHAPE_MIN)).toEqual([]);
  });
});

test('there are two themes, and the dark one changes every text and ground', () => {
  expect(STYLES.match(/--ink:/g)).toHaveLength(2);
  expect(STYLES).not.toContain('prefers-color-scheme');
  const names = [...pairsOf(TEXTS), ...pairsOf(SHAPES)].flatMap((pair) => pair.split(' on '));
  expect(names.filter((name) => DARK[name] === LIGHT[name])).toEqual([]);
});

test('no class names pair a text with a ground that is not looked at here', () => {
  const used = pairsOfSources();
  expect(used).toContain('on-brand on brand-strong');
  const known = pairsOf(TEXTS);
  expect(Array.from(used).filter((pair) => !known.includes(pair))).toEqual([]);
});

test('the widget has the colours of the site', () => {
  const widget = tokensOf(':root', read('widget/widget.css'));
  expect(Object.keys(widget)).toContain('ink-2');
  for (const [name, value] of Object.entries(widget)) {
    expect(value, name).toBe(`light-dark(${LIGHT[name]}, ${DARK[name]})`);
  }
});
