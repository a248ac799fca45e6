/**
 * Renders every public page to a file below dist/, from the practice's files, with what search
 * engines read (sitemap.xml, robots.txt) and the pictures of shared links, and writes down which
 * paths there are (routes.json) and what the content policy has to allow (csp.json).
 *
 * `--documents FOLDER` renders the site of other files into a folder of its own, beside what was
 * built: `sukoon practice apply` calls it. It draws no pictures.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PageHead } from '@/app/page-heads';
import type { PageEntry } from '@/app/pages';
import { matchPage } from '@/app/router';
import type { MeditationGuide } from '@/gen/catalogue/v1/catalogue_service_pb';
import type { LegalTexts } from '@/lib/legal-text';
import type { Snapshot } from '@/lib/snapshot';
import { type BuiltFiles, earlyFonts, modulesOfPage, readBuiltFiles } from './built-files';
import { copyBuilt, hasCard, keepTemplate, readTemplate } from './built-site';
import { allCards, cardOf } from './card';
import { assertPolicy, type DocumentParts, inlineScriptHash, renderDocument } from './document';
import { takeScripts } from './lazy-scripts';
import { readLegalFiles } from './legal-files';
import { readLegalVersions } from './legal-versions';
import { assertMedia, copyMedia } from './media-files';
import { REVIEW } from './origin';
import {
  OUR_PRACTICE,
  readEmbeddingOrigins,
  readGuideFile,
  readPracticeFiles,
} from './practice-files';
import { type RenderedPage, renderMarks, renderPage } from './render-page';
import { allMarks, headWithGaps, marksToGap, withAnswerGap, withGaps } from './review-words';
import type { SeoPage } from './seo-tags';
import { buildDate, fixedPaths, policyOrigins, robotsTxt, sitemapXml } from './site';
import { structuredData } from './structured-data';
import { takeWidgetFiles, widgetDocument } from './widget-document';

/** Where the site of a build is; what `--documents` leaves as it is comes from there. */
const DIST = process.env.PAGES_BUILT || 'dist';
const DOCUMENTS = process.argv[2] === '--documents' ? process.argv[3] : undefined;
/** Where the pages are written. */
const SITE = DOCUMENTS ?? DIST;
/** Services that earlier revisions of the practice's files offered. */
const GONE = (process.env.GONE_SERVICES ?? '').split(' ').filter(Boolean);
/** A path that no page has; its document is what unknown addresses are answered with. */
const UNKNOWN_PATH = '/404';
/** A path that no service has; its document is what addresses of unknown services are answered with. */
const UNKNOWN_SERVICE = '/service/-';

/**
 * Documents of pages whose content the build cannot know. The gateway asks whether there is such a
 * thing, and answers with the one document or, as not found, with the other.
 */
const DYNAMIC = {
  reviews: {
    found: 'review.html',
    missing: 'review-not-found.html',
    words: { document: 'review-words.html', marks: 'review-marks.json' },
  },
};
/**
 * What the gateway answers each /join/<booking> and /account/sessions/<booking> with; the pages read
 * the booking themselves.
 */
const BOOKING_PAGES = ['/join/-', '/account/sessions/-'];
/** Paths that those documents are rendered from: one with a possible id, and one with no id. */
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
  legal: LegalTexts;
};

function write(name: string, content: string | Uint8Array): void {
  const path = join(SITE, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function foundAt(path: string, head: PageHead, snapshot: Snapshot): SeoPage {
  const data = structuredData(head.canonical ?? path, head, snapshot);
  const card = cardOf(path, snapshot);
  // A picture that is drawn later is that of the welcome page until then.
  const isThere = !DOCUMENTS || hasCard(SITE, card.name);
  return { path, card: isThere ? card : cardOf('/', snapshot), data };
}

function documentParts({ code, files, fonts }: Site, { match, documentName, html }: RenderedPage) {
  const modules = modulesOfPage(files, match.entry.page.file ?? match.entry.path.slice(1));
  return { documentName, html, code: [...code, ...modules], fonts };
}

type Place = { name: string; path: string };

function writeDocument({ template }: Site, { name, path }: Place, parts: DocumentParts): void {
  const document = renderDocument(template, parts);
  assertPolicy(path, document);
  write(name, document);
}

/** What a page's document is written with: long texts stand in the documents of their own pages. */
function snapshotOf({ withGuide, legal }: PageEntry, site: Site): Snapshot {
  const guide = withGuide ? { guide: site.guide } : {};
  const text = legal ? { legal: { [legal]: site.legal[legal] } } : {};
  return { ...site.snapshot, ...guide, ...text };
}

/** A document that is served at any address has no metadata of an address. */
type AnyAddress = { anyAddress?: boolean };

async function renderTo(
  name: string,
  path: string,
  site: Site,
  { anyAddress = false }: AnyAddress = {},
): Promise<void> {
  const snapshot = snapshotOf(matchPage(path).entry, site);
  const page = await renderPage(path, snapshot);
  const head = page.match.entry.head(snapshot, page.match.params);
  const found = anyAddress ? undefined : foundAt(path, head, snapshot);
  writeDocument(site, { name, path }, { ...documentParts(site, page), head, snapshot, found });
}

/** The document of a review, with gaps for its words, and what fills the gap of its marks. */
async function renderReview(site: Site): Promise<void> {
  const { words } = DYNAMIC.reviews;
  const page = await renderPage(FOUND_REVIEW, withGaps(site.snapshot));
  const bare = page.match.entry.head(site.snapshot, page.match.params);
  writeDocument(
    site,
    { name: words.document, path: FOUND_REVIEW },
    {
      ...documentParts(site, page),
      html: marksToGap(page.html, renderMarks),
      head: headWithGaps(bare),
      snapshot: withAnswerGap(site.snapshot),
      found: foundAt(FOUND_REVIEW, bare, site.snapshot),
    },
  );
  const marks = [...allMarks()].map(([name, given]) => [name, renderMarks(given)]);
  write(words.marks, JSON.stringify(Object.fromEntries(marks)));
}

/** The pictures of shared links, whose drawing takes longer than all documents. */
async function drawCards(snapshot: Snapshot): Promise<void> {
  const { drawPictures } = await import('./card-pictures');
  const { cards, icon } = await drawPictures(allCards(snapshot), snapshot);
  for (const { name, picture } of cards) write(join('cards', `${name}.png`), picture);
  write('apple-touch-icon.png', icon);
}

async function main(): Promise<void> {
  const folder = process.env.PRACTICE_DIR || OUR_PRACTICE;
  const snapshot = {
    ...readPracticeFiles(folder),
    legalVersions: readLegalVersions(folder),
  };
  const guide = readGuideFile(folder);
  const legal = readLegalFiles(folder);
  const frameAncestors = readEmbeddingOrigins(folder);
  assertMedia(snapshot, folder);
  if (DOCUMENTS) copyBuilt(DIST, DOCUMENTS);
  else keepTemplate(DIST);
  const { template, code } = takeScripts(readTemplate());
  const files = readBuiltFiles();
  const site = { template, code, files, fonts: earlyFonts(files), snapshot, guide, legal };

  const fixed = fixedPaths();
  const services = snapshot.services.map(({ serviceId }) => serviceId);
  const paths = [...fixed, ...services.flatMap((id) => [`/service/${id}`, `/services/${id}`])];
  for (const path of paths) await renderTo(join(path, 'index.html'), path, site);
  const anyAddress = { anyAddress: true };
  for (const path of BOOKING_PAGES) {
    await renderTo(join(path, 'index.html'), path, site, anyAddress);
  }
  await renderTo('404.html', UNKNOWN_PATH, site, anyAddress);
  await renderTo('service-not-found.html', UNKNOWN_SERVICE, site, anyAddress);
  await renderTo(DYNAMIC.reviews.found, FOUND_REVIEW, site);
  await renderReview(site);
  await renderTo(DYNAMIC.reviews.missing, MISSING_REVIEW, site, anyAddress);

  const widget = widgetDocument(snapshot, frameAncestors, takeWidgetFiles(SITE));
  write(join('embed', 'book', 'index.html'), widget);

  copyMedia(folder, SITE);
  if (!DOCUMENTS) await drawCards(snapshot);
  write('robots.txt', robotsTxt());
  write('sitemap.xml', sitemapXml(snapshot, buildDate()));
  const gone = GONE.filter((id) => !services.includes(id));
  write('routes.json', `${JSON.stringify({ static: fixed, services, gone, dynamic: DYNAMIC })}\n`);
  const policy = {
    scriptHashes: [inlineScriptHash()],
    ...policyOrigins(snapshot),
    frameAncestors,
  };
  write('csp.json', `${JSON.stringify(policy)}\n`);
  process.stdout.write(`prerendered ${paths.length + 7} pages\n`);
}

await main();
