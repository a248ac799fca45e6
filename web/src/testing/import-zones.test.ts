/**
 * Holds the layers of the imports: shared (gen → lib → components, and testing) → features → app, or
 * the widget on other sites → prerender. No feature imports another one, and of a feature with several
 * pages no page imports another one: what they have in common is in its `shared`. No files import each
 * other in a circle. Imports of types and of code that is loaded later count like all others.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SRC = resolve(import.meta.dirname, '..');
const IMPORT = /\bfrom\s+'([^']+)'|\bimport\(\s*'([^']+)'|^import\s+'([^']+)'/gm;

/** What each layer may import beside itself. A feature is itself, and not all features. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  gen: [],
  lib: ['gen'],
  components: ['gen', 'lib'],
  features: ['gen', 'lib', 'components'],
  app: ['gen', 'lib', 'components', 'features'],
  widget: ['gen', 'lib', 'features'],
  prerender: ['gen', 'lib', 'components', 'features', 'app', 'widget', 'practice'],
  'main.tsx': ['lib', 'app'],
  testing: ['gen', 'lib', 'components', 'practice'],
  practice: ['gen', 'lib'],
};
/** What tests may import as well. */
const FOR_TESTS = ['testing', 'practice'];
/** These read the practice's files, for the build and for tests, and know nothing of pages. */
const PRACTICE = [
  'prerender/practice-files.ts',
  'prerender/legal-files.ts',
  'prerender/legal-versions.ts',
  'prerender/stored-list.ts',
];

/** The files that each file imports, by their paths in src. */
type Graph = ReadonlyMap<string, readonly string[]>;

/** All sources but this file, whose examples are no imports. */
function sources(): string[] {
  const names = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.tsx?$/.test(name) && !name.endsWith('import-zones.test.ts'));
}

/** The path in src that an import names, without its ending where the import has none. */
function target(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('@/')) return specifier.slice(2);
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier);
  return undefined;
}

function importGraph(files: readonly string[], read: (file: string) => string): Graph {
  const known = new Set(files);
  const importsOf = (file: string) =>
    [...read(file).matchAll(IMPORT)].flatMap((match) => {
      const path = target(file, match[1] ?? match[2] ?? match[3] ?? '');
      return [path, `${path}.ts`, `${path}.tsx`].find((name) => known.has(name ?? '')) ?? [];
    });
  return new Map(files.map((file) => [file, importsOf(file)]));
}

/** The folders of a feature that has several pages. */
const PAGES = ['book-page', 'booking-flow', 'own-sessions'].map((it) => `features/booking/${it}`);
const SHARED = 'features/booking/shared';

/** "app", "lib", "features/faq", "features/booking/shared", … */
function zone(path: string): string {
  if (PRACTICE.includes(path)) return 'practice';
  const page = [...PAGES, SHARED].find((folder) => path.startsWith(`${folder}/`));
  if (page) return page;
  const [first = '', second = ''] = path.split('/');
  return first === 'features' ? `${first}/${second}` : first;
}

function allowed(file: string, imported: string): boolean {
  const [from, to] = [zone(file), zone(imported)];
  const [layer = ''] = from.split('/');
  const [targetLayer = ''] = to.split('/');
  if (from === to || MAY_IMPORT[layer]?.includes(targetLayer)) return true;
  if (PAGES.includes(from) && to === SHARED) return true;
  return /\.test\.tsx?$/.test(file) && FOR_TESTS.includes(to);
}

function upwardImports(graph: Graph): string[] {
  return [...graph].flatMap(([file, imports]) =>
    imports.filter((to) => !allowed(file, to)).map((to) => `${file} imports ${to}`),
  );
}

/** The first circle of imports, from a file back to itself; empty where there is none. */
function importCycle(graph: Graph): string[] {
  const done = new Set<string>();
  function from(file: string, way: readonly string[]): string[] {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const imported of graph.get(file) ?? []) {
      const cycle = from(imported, [...way, file]);
      if (cycle.length > 0) return cycle;
    }
    done.add(file);
    return [];
  }
  for (const file of graph.keys()) {
    const cycle = from(file, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

const GRAPH = importGraph(sources(), (file) => readFileSync(join(SRC, file), 'utf8'));

test('no file imports from a layer above its own, or from another feature', () => {
  expect(GRAPH.size).toBeGreaterThan(400);
  expect(GRAPH.get('main.tsx')).toContain('app/app.tsx');
  expect(upwardImports(GRAPH)).toEqual([]);
});

test('no files import each other in a circle', () => {
  expect(importCycle(GRAPH)).toEqual([]);
});

/** The graph of some sources that are not there. */
function graphOf(texts: Record<string, string>): Graph {
  return importGraph(Object.keys(texts), (file) => texts[file] ?? '');
}

test('an import from above would be found', () => {
  const graph = graphOf({
    'app/app.tsx': "import { Page } from '@/features/faq/page';",
    'features/faq/page.tsx': "import type { Entry } from '@/app/pages';\nimport '../quiz/quiz';",
    'features/quiz/quiz.ts': "import { wait } from '@/lib/wait';",
    'features/booking/book-page/step.ts':
      "import '../booking-flow/step';\nimport '../shared/draft';",
    'features/booking/booking-flow/step.ts': '',
    'features/booking/shared/draft.ts': "import '../book-page/step';",
    'app/pages.ts': "import { practiceFixture } from '@/testing/practice-fixture';",
    'lib/wait.ts': "const card = () => import('../components/card');",
    'components/card.tsx': "export { wait } from '@/lib/wait';",
    'components/card.test.tsx': "import { practiceFixture } from '@/testing/practice-fixture';",
    'testing/practice-fixture.ts':
      "import { readPracticeFiles } from '@/prerender/practice-files';",
    'prerender/practice-files.ts': '',
  });
  expect(upwardImports(graph)).toEqual([
    'features/faq/page.tsx imports app/pages.ts',
    'features/faq/page.tsx imports features/quiz/quiz.ts',
    'features/booking/book-page/step.ts imports features/booking/booking-flow/step.ts',
    'features/booking/shared/draft.ts imports features/booking/book-page/step.ts',
    'app/pages.ts imports testing/practice-fixture.ts',
    'lib/wait.ts imports components/card.tsx',
  ]);
});

test('a circle would be found, also one of types and of code that is loaded later', () => {
  const graph = graphOf({
    'lib/start.ts': "import { one } from './one';",
    'lib/one.ts': "const two = () => import('./two');",
    'lib/two.ts': "import type {\n  Three,\n} from '@/lib/three';",
    'lib/three.ts': "import './one';",
  });
  expect(importCycle(graph)).toEqual(['lib/one.ts', 'lib/two.ts', 'lib/three.ts', 'lib/one.ts']);
});
