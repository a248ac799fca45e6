/** The versions of the legal texts are those that booking finds: both read one list of cases. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LEGAL_NAMES } from '@/lib/legal-text';
import cases from '../../../services/shared/practice/tests/legal_cases.json';
import { readLegalTable, settingsOf } from './legal-files';
import { readLegalVersions, wordsOf } from './legal-versions';
import { OUR_PRACTICE } from './practice-files';

function inFolder<Read>(files: Record<string, string>, read: (folder: string) => Read): Read {
  const folder = mkdtempSync(join(tmpdir(), 'legal-versions-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return read(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.each(cases)(
  'words and hash are those of booking: $about',
  ({ practice, text, words, hash }) => {
    const texts = LEGAL_NAMES.map((name) => [`${name}.toml`, text]);
    const files = { 'practice.toml': practice, ...Object.fromEntries(texts) };
    const read = inFolder(files, (folder) => ({
      words: wordsOf('terms', readLegalTable(folder, 'terms'), settingsOf(folder)),
      version: readLegalVersions(folder).terms,
    }));
    expect(read.words).toBe(words);
    expect(read.version).toEqual({ version: '2026-11-22', hash });
  },
);

test('the texts that come with the project have a version each', () => {
  const versions = readLegalVersions(OUR_PRACTICE);
  expect(Object.keys(versions)).toEqual([...LEGAL_NAMES]);
  expect(new Set(LEGAL_NAMES.map((name) => versions[name].hash)).size).toBe(3);
});
