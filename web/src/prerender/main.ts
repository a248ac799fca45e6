/**
 * Renders every public page to a file below dist/, from the practice's files, and writes down which
 * paths there are (routes.json) and what the content policy has to allow (csp.json).
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PAGES } from '@/app/pages';
import type { Snapshot } from '@/lib/snapshot';
import { type BuiltFiles, earlyFonts, modulesOfPage, readBuiltFiles } from './built-files';
import { assertPolicy, renderDocument, themeScriptHash } from './document';
import { readPracticeFiles } from './practice-files';
import { renderPage } from './render-page';

const DIST = 'dist';
/** A path that no page has; its document is what unknown addresses are answered with. */
const UNKNOWN_PATH = '/404';

/**
 * Documents of pages whose content the build cannot know. The gateway asks whether there is such a
 * thing, and answers with the one document or, as not found, with the other.
 */
const DYNAMIC = { reviews: { found: 'review.html', missing: 'review-not-found.html' } };
/** Paths that those documents are rendered from: an id that can be, and one that cannot. */
const FOUND_REVIEW = `/reviews/rvw_${'0'.repeat(32)}`;
const MISSING_REVIEW = '/reviews/none';

type Site = { template: string; files: BuiltFiles; fonts: string[]; snapshot: Snapshot };

function write(name: string, content: string): void {
  const path = join(DIST, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

async function renderTo(name: string, path: string, site: Site): Promise<void> {
  const { match, documentName, html } = await renderPage(path, site.snapshot);
  const document = renderDocument(site.template, {
    head: match.entry.head(site.snapshot, match.params),
    snapshot: site.snapshot,
    documentName,
    html,
    modules: modulesOfPage(site.files, match.entry.page.name),
    fonts: site.fonts,
    origin: process.env.PUBLIC_URL ?? '',
  });
  assertPolicy(path, document);
  write(name, document);
}

async function main(): Promise<void> {
  const snapshot = readPracticeFiles(process.env.PRACTICE_DIR ?? '../deploy/local/practice');
  const template = readFileSync(join(DIST, 'index.html'), 'utf8');
  const files = readBuiltFiles(DIST);
  const site = { template, files, fonts: earlyFonts(files), snapshot };

  const fixed = PAGES.map(({ path }) => path).filter((path) => !path.includes(':'));
  const services = snapshot.services.map(({ serviceId }) => serviceId);
  const paths = [...fixed, ...services.flatMap((id) => [`/service/${id}`, `/services/${id}`])];
  for (const path of paths) await renderTo(join(path, 'index.html'), path, site);
  await renderTo('404.html', UNKNOWN_PATH, site);
  await renderTo(DYNAMIC.reviews.found, FOUND_REVIEW, site);
  await renderTo(DYNAMIC.reviews.missing, MISSING_REVIEW, site);

  write('routes.json', `${JSON.stringify({ static: fixed, services, dynamic: DYNAMIC })}\n`);
  write('csp.json', `${JSON.stringify({ scriptHashes: [themeScriptHash()] })}\n`);
  rmSync(join(DIST, '.vite'), { recursive: true });
  process.stdout.write(`prerendered ${paths.length + 3} pages\n`);
}

await main();
