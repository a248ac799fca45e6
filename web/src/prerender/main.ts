/**
 * Renders every public page to a file below dist/, from the practice's files, with what search
 * engines read (sitemap.xml, robots.txt) and the pictures of shared links, and writes down which
 * paths there are (routes.json) and what the content policy has to allow (csp.json).
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { matchPage } from '@/app/router';
import type { MeditationGuide } from '@/gen/catalogue/v1/catalogue_service_pb';
import type { Snapshot } from '@/lib/snapshot';
import { type BuiltFiles, earlyFonts, modulesOfPage, readBuiltFiles } from './built-files';
import { allCards, cardOf } from './card';
import { drawPictures } from './card-pictures';
import { assertPolicy, inlineScriptHash, renderDocument } from './document';
import { takeCode } from './late-code';
import { assertMedia, copyMedia } from './media-files';
import { REVIEW } from './origin';
import { readGuideFile, readPracticeFiles } from './practice-files';
import { renderPage } from './render-page';
import { buildDate, fixedPaths, policyOrigins, robotsTxt, sitemapXml } from './site';
import { structuredData } from './structured-data';

const DIST = 'dist';
/** A path that no page has; its document is what unknown addresses are answered with. */
const UNKNOWN_PATH = '/404';
/** A path that no service has; its document is what addresses of unknown services are answered with. */
const UNKNOWN_SERVICE = '/service/-';

/**
 * Documents of pages whose content the build cannot know. The gateway asks whether there is such a
 * thing, and answers with the one document or, as not found, with the other.
 */
const DYNAMIC = { reviews: { found: 'review.html', missing: 'review-not-found.html' } };
/** Paths that those documents are rendered from: one whose id can be, and one whose cannot. */
const FOUND_REVIEW = `/reviews/${REVIEW}`;
const MISSING_REVIEW = '/reviews/none';

type Site = {
  template: string;
  /** The scripts that every page needs. */
  code: string[];
  files: BuiltFiles;
  fonts: string[];
  snapshot: Snapshot;
  guide: MeditationGuide;
};

function write(name: string, content: string | Uint8Array): void {
  const path = join(DIST, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** An address is one page's: documents that serve any address are told nothing about theirs. */
type AnyAddress = { anyAddress?: boolean };

async function renderTo(
  name: string,
  path: string,
  site: Site,
  { anyAddress = false }: AnyAddress = {},
): Promise<void> {
  const { withGuide } = matchPage(path).entry;
  const snapshot = withGuide ? { ...site.snapshot, guide: site.guide } : site.snapshot;
  const { match, documentName, html } = await renderPage(path, snapshot);
  const head = match.entry.head(snapshot, match.params);
  const data = structuredData(head.canonical ?? path, head, snapshot);
  const document = renderDocument(site.template, {
    head,
    snapshot,
    documentName,
    html,
    code: [...site.code, ...modulesOfPage(site.files, match.entry.page.name)],
    fonts: site.fonts,
    found: anyAddress ? undefined : { path, card: cardOf(path, snapshot), data },
  });
  assertPolicy(path, document);
  write(name, document);
}

async function main(): Promise<void> {
  const folder = process.env.PRACTICE_DIR || '../deploy/local/practice';
  const snapshot = readPracticeFiles(folder);
  const guide = readGuideFile(folder);
  assertMedia(snapshot, folder);
  const { template, code } = takeCode(readFileSync(join(DIST, 'index.html'), 'utf8'));
  const files = readBuiltFiles(DIST);
  const site = { template, code, files, fonts: earlyFonts(files), snapshot, guide };

  const fixed = fixedPaths();
  const services = snapshot.services.map(({ serviceId }) => serviceId);
  const paths = [...fixed, ...services.flatMap((id) => [`/service/${id}`, `/services/${id}`])];
  for (const path of paths) await renderTo(join(path, 'index.html'), path, site);
  const anyAddress = { anyAddress: true };
  await renderTo('404.html', UNKNOWN_PATH, site, anyAddress);
  await renderTo('service-not-found.html', UNKNOWN_SERVICE, site, anyAddress);
  await renderTo(DYNAMIC.reviews.found, FOUND_REVIEW, site);
  await renderTo(DYNAMIC.reviews.missing, MISSING_REVIEW, site, anyAddress);

  copyMedia(folder, DIST);
  const { cards, icon } = await drawPictures(allCards(snapshot), snapshot);
  for (const { name, picture } of cards) write(join('cards', `${name}.png`), picture);
  write('apple-touch-icon.png', icon);
  write('robots.txt', robotsTxt());
  write('sitemap.xml', sitemapXml(snapshot, buildDate()));
  write('routes.json', `${JSON.stringify({ static: fixed, services, dynamic: DYNAMIC })}\n`);
  const policy = { scriptHashes: [inlineScriptHash()], ...policyOrigins(snapshot) };
  write('csp.json', `${JSON.stringify(policy)}\n`);
  rmSync(join(DIST, '.vite'), { recursive: true });
  process.stdout.write(`prerendered ${paths.length + 4} pages\n`);
}

await main();
