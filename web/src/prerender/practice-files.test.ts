/** The practice's files as the pages are written from them, also those of an older folder. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readEmbeddingOrigins, readPracticeFiles } from './practice-files';

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

test('the policy of cancelled sessions has the tiers and the version of the services', () => {
  const policy = () => readPracticeFiles(folder).practice.cancellationPolicy;
  // The crate `practice` has a test with the same versions.
  expect(policy()?.version).toBe('09f801dd0ee0');
  rewrite('practice.toml', (line) =>
    /^# (\[\[policies\.|until_hours|refund_percent|practice_late)/.test(line)
      ? line.slice(2).replace('"nothing"', '"20 %"')
      : line,
  );
  expect(policy()?.version).toBe('ce2dadfdd355');
  expect(policy()?.tiers[1]).toMatchObject({ untilHours: 12, practiceLate: { sharePercent: 20 } });
  expect(readPracticeFiles(folder).packages[0]?.cancellationPolicy?.tiers).toHaveLength(3);
});

test('a practice of several names them with each service, as the catalogue does', () => {
  expect(readPracticeFiles(folder).practice.practitioners).toEqual([]);
  const more = (name: string, text: string) => {
    writeFileSync(join(folder, name), `${readFileSync(join(folder, name), 'utf8')}\n${text}`);
  };
  more('practice.toml', '[[practitioners]]\npractitioner_id = "ravi"\nname = "Ravi Menon"');
  more('practice.toml', '[[practitioners]]\npractitioner_id = "ila"\nname = "Ila"\nweekdays = []');
  rewrite('services.toml', (line) =>
    line === 'service_id = "meditation"' ? `${line}\npractitioners = ["ravi"]` : line,
  );
  const { practice, services } = readPracticeFiles(folder);
  const names = ({ practitioners }: Pick<typeof practice, 'practitioners'>) =>
    practitioners.map(({ practitionerId, name }) => `${practitionerId} ${name}`);
  expect(names(practice)).toEqual(['lead Meera Joshi', 'ravi Ravi Menon']);
  for (const service of services) {
    const all = service.serviceId === 'meditation' ? ['ravi Ravi Menon'] : names(practice);
    expect(names(service)).toEqual(all);
  }
});

test('the free consultation is beside the services, or there is none', () => {
  const { consultation, services } = readPracticeFiles(folder);
  expect(consultation).toMatchObject({ serviceId: 'free-consultation', durationMinutes: 15 });
  expect(consultation?.price).toMatchObject({ minorUnits: 0n, currencyCode: 'INR' });
  expect(services.map(({ serviceId }) => serviceId)).not.toContain('free-consultation');
  const text = readFileSync(join(folder, 'services.toml'), 'utf8');
  writeFileSync(join(folder, 'services.toml'), text.slice(0, text.indexOf('[consultation]')));
  expect(readPracticeFiles(folder).consultation).toBeUndefined();
});

test('a package without a list is offered where so many sessions do not cost less singly', () => {
  const offered = () => readPracticeFiles(folder).packages.map(({ serviceIds }) => serviceIds);
  const dear = ['mental-health', 'relationship-counseling', 'karmic-healing'];
  expect(offered()).toEqual([dear]);
  rewrite('services.toml', (line) => (/^services = /.test(line) ? '' : line));
  expect(offered()).toEqual([dear]);
  rewrite('services.toml', (line) => line.replace('450_000', '600_001'));
  expect(offered()).toEqual([['karmic-healing']]);
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

test('the sites that may show the widget are listed, and anything but an origin stops the build', () => {
  expect(readEmbeddingOrigins(folder)).toEqual([]);
  const list = (text: string) =>
    rewrite('practice.toml', (line) => line.replace(/^origins = .*/, `origins = ${text}`));
  list('["https://wellness.example", "http://localhost:8081"]');
  expect(readEmbeddingOrigins(folder)).toEqual([
    'https://wellness.example',
    'http://localhost:8081',
  ]);
  for (const wrong of [
    '["*"]',
    '["https://wellness.example/"]',
    '["http://wellness.example"]',
    '["https://a.example:443"]',
    '[1]',
    '"https://wellness.example"',
  ]) {
    list(wrong);
    expect(() => readEmbeddingOrigins(folder)).toThrow(/practice\.toml: embedding\.origins: /);
  }
  rewrite('practice.toml', (line) =>
    line === '[embedding]' || /^origins = /.test(line) ? '' : line,
  );
  expect(readEmbeddingOrigins(folder)).toEqual([]);
});

test('a service whose time is chosen in the scheduling widget has its address', () => {
  expect(readPracticeFiles(folder).services.every((it) => it.schedulingUrl === '')).toBe(true);
  const url = 'https://calendly.com/asha/session';
  const block = `[[scheduling_widgets]]\nservice_id = "meditation"\nurl = "${url}"\n`;
  rewrite('practice.toml', (line) => (line === '[embedding]' ? `${block}\n${line}` : line));
  const { services } = readPracticeFiles(folder);
  const shown = services.filter(({ schedulingUrl }) => schedulingUrl !== '');
  expect(shown.map(({ serviceId, schedulingUrl }) => [serviceId, schedulingUrl])).toEqual([
    ['meditation', url],
  ]);
});
