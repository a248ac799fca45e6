/** Holds the direction of imports: shared → features → app, and never from feature to feature. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SRC = resolve(import.meta.dirname, '..');
const IMPORT = /(?:from|import\()\s*'([^']+)'/g;
/** May use anything: they put the app together, or test it. */
const FREE = ['app', 'prerender', 'testing', 'main.tsx'];

function sources(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return name === 'gen' ? [] : sources(path);
    return /\.tsx?$/.test(name) ? [path] : [];
  });
}

/** "app", "lib", "features/booking", … */
function zone(path: string): string {
  const [first = '', second = ''] = path.split('/');
  return first === 'features' ? `${first}/${second}` : first;
}

function target(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('@/')) return specifier.slice(2);
  if (specifier.startsWith('.')) return relative(SRC, resolve(file, '..', specifier));
  return undefined;
}

function allowed(from: string, to: string): boolean {
  if (FREE.includes(from) || from === to) return true;
  if (FREE.includes(to)) return false;
  return from.startsWith('features/') ? !to.startsWith('features/') : !to.startsWith('features');
}

function violations(file: string): string[] {
  const path = relative(SRC, file);
  if (/\.test\.tsx?$/.test(path)) return [];
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(IMPORT)].flatMap((match) => {
    const to = target(file, match[1] ?? '');
    return to === undefined || allowed(zone(path), zone(to)) ? [] : [`${path} imports ${to}`];
  });
}

test('imports point from app to features to shared code only', () => {
  const files = sources(SRC);
  expect(files.length).toBeGreaterThan(50);
  expect(files.flatMap(violations)).toEqual([]);
});

test('a sideways import would be noticed', () => {
  expect(allowed('features/booking', 'features/catalogue')).toBe(false);
  expect(allowed('lib', 'features/catalogue')).toBe(false);
  expect(allowed('components', 'app')).toBe(false);
  expect(allowed('features/booking', 'lib')).toBe(true);
});
