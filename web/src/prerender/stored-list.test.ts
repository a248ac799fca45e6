/** The list on the privacy page has every cookie, key and receiver of the table. */
import { expect, test } from 'vitest';
import type { LegalSection } from '@/lib/legal-text';
import { readLegalFiles } from './legal-files';
import { OUR_PRACTICE } from './practice-files';
import { readStored, storedSections } from './stored-list';

function words(sections: readonly LegalSection[]): string {
  const lines = sections.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === 'list' ? block.items : [block.words])),
  );
  return lines.map((line) => line.map(({ text }) => text).join('')).join('\n');
}

test('the privacy page names all of the table that is personal or in a browser', () => {
  const { privacy, terms } = readLegalFiles(OUR_PRACTICE);
  const page = words(privacy.sections);
  const rows = readStored().filter(({ group }) => group !== '');
  expect(rows.length).toBeGreaterThan(100);
  for (const { kind, name, what, kept } of rows) {
    expect(page).toContain(what);
    expect(page).toContain(kept);
    if (kind !== 'column') expect(page).toContain(name);
  }
  for (const cookie of ['session', 'device', 'admin']) expect(page).toContain(`“${cookie}”`);
  expect(page).not.toMatch(/no cookies for visitors/);
  expect(words(terms.sections)).not.toContain('“session”');
});

test('what is kept for the same time stands in one line', () => {
  const row = { kind: 'column', name: 'x', personal: true, group: 'account', kept: 'for good' };
  const rows = ['your name', 'your name', 'your address', 'your phone'].map((what) => ({
    ...row,
    what,
  }));
  expect(words(storedSections([...rows, { ...row, personal: false, what: 'a state' }]))).toContain(
    'Your account:\nKept for good: your name; your address; your phone\n',
  );
});
