/** Holds the error catalogue to the tests: a title that no test has shows nothing. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { CATALOGUE } from './error-catalogue';

const WEB = resolve(import.meta.dirname, '../..');
const TITLE = /(?:\btest|\))\(\s*(?:'(.+?)'|"(.+?)"),/g;

/** The titles of the tests of a folder, without the size at which a browser runs them. */
function titlesIn(folder: string, ending: RegExp): string[] {
  const names = readdirSync(join(WEB, folder), { recursive: true, encoding: 'utf8' });
  const texts = names
    .filter((name) => ending.test(name))
    .map((name) => readFileSync(join(WEB, folder, name), 'utf8'));
  return texts.flatMap((text) =>
    [...text.matchAll(TITLE)].map(([, plain, quoted = '']) =>
      (plain ?? quoted).replace(/ @phone(-only)?$/, ''),
    ),
  );
}

test('every line of the catalogue has a test, or says why no page can say it', () => {
  const written = new Set([...titlesIn('src', /\.test\.tsx?$/), ...titlesIn('e2e', /\.spec\.ts$/)]);
  const missing = CATALOGUE.flatMap((line) => {
    if ('outside' in line) return [];
    if (line.tests.length === 0) return [line.situation];
    return line.tests.filter((title) => !written.has(title));
  });
  expect(missing).toEqual([]);
  const situations = CATALOGUE.map(({ situation }) => situation);
  expect(new Set(situations).size).toBe(situations.length);
});
