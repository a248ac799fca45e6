/** What Vite built, as its manifest lists it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Chunk = { file: string; src?: string; imports?: string[] };
export type BuiltFiles = Record<string, Chunk>;

const ENTRY = 'index.html';

export function readBuiltFiles(dist: string): BuiltFiles {
  return JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as BuiltFiles;
}

function collect(files: BuiltFiles, key: string, into: Set<string>): void {
  const chunk = files[key];
  if (!chunk || into.has(chunk.file)) return;
  into.add(chunk.file);
  for (const imported of chunk.imports ?? []) collect(files, imported, into);
}

/** The scripts that a page's file in src needs beyond those of the entry, as addresses. */
export function modulesOfPage(files: BuiltFiles, file: string): string[] {
  if (!files[`src/${file}`]) throw new Error(`No chunk was built of src/${file}.`);
  const entry = new Set<string>();
  collect(files, ENTRY, entry);
  const page = new Set<string>();
  collect(files, `src/${file}`, page);
  return [...page].filter((name) => !entry.has(name)).map((name) => `/${name}`);
}

/** Fonts that every page shows at once. */
export function earlyFonts(files: BuiltFiles): string[] {
  return Object.values(files)
    .filter(({ file }) => /(figtree|fraunces)-latin-.*\.woff2$/.test(file))
    .map(({ file }) => `/${file}`)
    .sort();
}
