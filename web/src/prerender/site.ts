/** The site's addresses, as far as a build can know them. */
import { PAGES, type PageEntry } from '@/app/pages';
import type { Snapshot } from '@/lib/snapshot';
import { ORIGIN } from './origin';

function isFixed({ path }: PageEntry): boolean {
  return !path.includes(':');
}

/** Paths that are there in every practice. */
export function fixedPaths(): string[] {
  return PAGES.filter((entry) => isFixed(entry)).map(({ path }) => path);
}

/** The one address of each service. */
function servicePaths({ services }: Snapshot): string[] {
  return services.map(({ serviceId }) => `/service/${serviceId}`);
}

/** The paths that search engines shall keep, each once. */
export function indexablePaths(snapshot: Snapshot): string[] {
  const open = PAGES.filter((entry) => isFixed(entry) && !entry.head(snapshot, {}).hidden);
  return [...open.map(({ path }) => path), ...servicePaths(snapshot)];
}

/**
 * Nothing is closed to search engines. The pages that they shall not keep say `noindex`, which a
 * search engine that may not fetch them never reads: it would list those that others link to.
 */
export function robotsTxt(): string {
  const lines = ['User-agent: *', 'Allow: /', '', `Sitemap: ${ORIGIN}/sitemap.xml`];
  return `${lines.join('\n')}\n`;
}

/** The sitemap; the day is the build's, because each page may change with each build. */
export function sitemapXml(snapshot: Snapshot, built: Date): string {
  const day = built.toISOString().slice(0, 10);
  const urls = indexablePaths(snapshot).map(
    (path) => `  <url><loc>${ORIGIN}${path}</loc><lastmod>${day}</lastmod></url>`,
  );
  const schema = 'http://www.sitemaps.org/schemas/sitemap/0.9';
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<urlset xmlns="${schema}">`,
    ...urls,
    '</urlset>',
    '',
  ].join('\n');
}

/** When this build is made; SOURCE_DATE_EPOCH makes two builds of the same sources the same. */
export function buildDate(): Date {
  const seconds = Number(process.env.SOURCE_DATE_EPOCH);
  return seconds > 0 ? new Date(seconds * 1000) : new Date();
}

function httpsOrigin(address: string): string[] {
  return /^https:\/\//i.test(address) ? [new URL(address).origin] : [];
}

/** What the content policy has to allow, because the practice's files name it. */
export function policyOrigins({ services, practice }: Snapshot): {
  mediaOrigins: string[];
  imageOrigins: string[];
  frameOrigins: string[];
} {
  const media = services.flatMap(({ videoUrl, captionsUrl }) => [videoUrl, captionsUrl]);
  const frames = services.flatMap(({ schedulingUrl }) => schedulingUrl || []);
  return {
    frameOrigins: [...new Set(frames.map((url) => new URL(url).origin))].sort(),
    mediaOrigins: [...new Set(media.flatMap(httpsOrigin))].sort(),
    imageOrigins: httpsOrigin(practice.about?.portraitUrl ?? ''),
  };
}
