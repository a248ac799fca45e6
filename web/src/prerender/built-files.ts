/** What Vite built, as its manifest lists it. */
import { readFileSync } from 'node:fs';

type Chunk = { file: string; src?: string; imports?: string[] };
export type BuiltFiles = Record<string, Chunk>;

const ENTRY = 'index.html';
/** Where the list is kept; the browser tests ask it for files of code by their words. */
export const BUILT_FILES = 'dist-server/built-files.json';

export function readBuiltFiles(): BuiltFiles {
  return JSON.parse(readFileSync(BUILT_FILES, 'utf8')) as BuiltFiles;
}

function collect(files: BuiltFiles, key: string, into: Set<string>): void {
  const chunk = files[key];
  if (!chunk || into.has(chunk.file)) return;
  into.add(chunk.file);
  for (const imported of chunk.imports ?? []) collect(files, imported, into);
}

/** The source of a page's chunk; LazyPage says where it is. */
function sourceOf(files: BuiltFiles, file: string): string {
  const found = Object.keys(files).filter(
    (key) => key === `src/app/routes/${file}.tsx` || key.endsWith(`/${file}-page.tsx`),
  );
  if (found.length !== 1) throw new Error(`${found.length} chunks are the page ${file}.`);
  return found[0] ?? '';
}

/** The scripts that a page needs beyond those of the entry, as addresses. */
export function modulesOfPage(files: BuiltFiles, file: string): string[] {
  const entry = new Set<string>();
  collect(files, ENTRY, entry);
  const page = new Set<string>();
  collect(files, sourceOf(files, file), page);
  return [...page].filter((name) => !entry.has(name)).map((name) => `/${name}`);
}

/** Fonts that every page shows at once. */
export function earlyFonts(files: BuiltFiles): string[] {
  return Object.values(files)
    .filter(({ file }) => /(figtree|fraunces)-latin-.*\.woff2$/.test(file))
    .map(({ file }) => `/${file}`)
    .sort();
}
