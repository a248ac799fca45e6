/** The practice's files as the pages are written from them, also those of an older folder. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readPracticeFiles } from './practice-files';

const OURS = resolve(import.meta.dirname, '../../../deploy/local/practice');

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'practice-'));
  cpSync(OURS, folder, { recursive: true, filter: (path) => !path.endsWith('media') });
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Replaces every line of a file. */
function rewrite(name: string, line: (before: string) => string): void {
  const lines = readFileSync(join(folder, name), 'utf8').split('\n');
  writeFileSync(join(folder, name), lines.map(line).join('\n'));
}

test('what the practice says about times, notes and services is read', () => {
  rewrite('practice.toml', (line) => line.replace('"5-7 business days"', '"two weeks"'));
  const { practice, services } = readPracticeFiles(folder);
  expect(practice.refundDaysText).toBe('two weeks');
  expect(practice.replyDaysText).toBe('2-3 business days');
  expect(practice.holdMinutes).toBe(15);
  expect(practice.wellbeingNote).toContain('not medical treatment');
  const carrying = services.filter(({ crisisNote }) => crisisNote);
  expect(carrying.map(({ serviceId }) => serviceId)).toContain('mental-health');
  expect(carrying.length).toBeLessThan(services.length);
});

test('an older folder has the usual values, as the catalogue reads it', () => {
  const added = /^(reply_days_text|wellbeing_note|crisis_note = true)/;
  for (const name of ['practice.toml', 'services.toml']) {
    rewrite(name, (line) => (added.test(line) ? '' : line));
  }
  const { practice, services } = readPracticeFiles(folder);
  expect(practice.replyDaysText).toBe('2-3 business days');
  expect(practice.wellbeingNote).toBe('');
  expect(services.some(({ crisisNote }) => crisisNote)).toBe(false);
});
