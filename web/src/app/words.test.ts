/** Words that neither pages nor the practice's own files may use: untrue ones, and unusual ones. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseSync } from 'vite';
import { expect, test } from 'vitest';

const SOURCES = resolve(import.meta.dirname, '..');
const PRACTICE = resolve(import.meta.dirname, '../../../deploy/local/practice');

/** A session is moved, and the people who come are clients. The rest sounds translated. */
const GIVEN_UP =
  /reschedul|customer|the way you paid|as you wished|all the same|\bis with us\b|\bof yours\b/i;

/** The files that end like this, without tests and what is generated. */
function filesOf(folder: string, ending: RegExp): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const left = /^(gen|testing)\/|\.test\./;
  return names
    .filter((name) => ending.test(name) && !left.test(name))
    .map((it) => join(folder, it));
}

/** What a person could read in a source: marked-up text, and strings of more than one word. */
function textsOf(file: string): string {
  const texts: string[] = [];
  function walk(node: unknown): void {
    if (typeof node !== 'object' || node === null) return;
    const { type, value } = node as { type?: string; value?: unknown };
    const words = type === 'TemplateElement' ? (value as { cooked: string }).cooked : value;
    const isSpoken = type === 'JSXText' || type === 'Literal' || type === 'TemplateElement';
    if (isSpoken && typeof words === 'string' && words.includes(' ')) texts.push(words);
    for (const part of Object.values(node)) walk(part);
  }
  walk(parseSync(file, readFileSync(file, 'utf8')).program);
  // A sentence may be written in several pieces and on several lines.
  return texts.join('').replace(/\s+/g, ' ');
}

/** Where a word stands, with what is around it. */
function foundIn(text: string): string | undefined {
  const found = GIVEN_UP.exec(text);
  return found ? text.slice(Math.max(0, found.index - 40), found.index + 40) : undefined;
}

test('no page uses a word that is given up', () => {
  const files = filesOf(SOURCES, /\.tsx?$/);
  const all = files.map((file) => [file, textsOf(file)] as const);
  expect(all.map(([, text]) => text).join('')).toContain('Browsing doesn');
  const found = all.flatMap(([file, text]) => (foundIn(text) ? [`${file}: ${foundIn(text)}`] : []));
  expect(found).toEqual([]);
});

test('no file of the practice does', () => {
  const files = filesOf(PRACTICE, /\.toml$/);
  expect(files.length).toBeGreaterThanOrEqual(6);
  for (const file of files) {
    // Notes begin each of their lines with a mark.
    const text = readFileSync(file, 'utf8').replace(/\s+#?\s*/g, ' ');
    expect(foundIn(text), file).toBeUndefined();
  }
});
