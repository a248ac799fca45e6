/**
 * Puts a page's document together from the built template. The development server uses it too, and
 * there nothing that it imports may need React.
 */
import { createHash } from 'node:crypto';
import type { PageHead } from '@/app/page-heads';
import { SNAPSHOT_ID, type Snapshot, serializeSnapshot } from '@/lib/snapshot';
import { THEME_SCRIPT } from '@/lib/theme';
import { escapeHtml } from './escape';
import { LAZY_SCRIPTS } from './lazy-scripts';
import { type SeoPage, seoTagsHtml } from './seo-tags';

const INLINE_SCRIPT = `${THEME_SCRIPT};${LAZY_SCRIPTS}`;

export type DocumentParts = {
  head: PageHead;
  snapshot: Snapshot;
  /** The name by which the browser knows whether it may hydrate this HTML. */
  documentName: string;
  /** The page's HTML. */
  html: string;
  /** Built scripts to fetch after the first paint, the one to be run first. */
  code: readonly string[];
  fonts: readonly string[];
  /** Metadata of this address for other programs; absent where the build cannot know it. */
  found?: SeoPage;
};

function headHtml({ head, snapshot, fonts, found }: DocumentParts): string {
  const title = escapeHtml(`${head.title} · ${snapshot.practice.name}`);
  const description = escapeHtml(head.description);
  return [
    `<script>${INLINE_SCRIPT}</script>`,
    `<title>${title}</title>`,
    '<link rel="apple-touch-icon" href="/apple-touch-icon.png">',
    description ? `<meta name="description" content="${description}">` : '',
    head.hidden ? '<meta name="robots" content="noindex">' : '',
    ...fonts.map(
      (href) => `<link rel="preload" as="font" type="font/woff2" crossorigin href="${href}">`,
    ),
    ...(found ? seoTagsHtml({ head, practiceName: snapshot.practice.name, found }) : []),
  ]
    .filter(Boolean)
    .join('\n    ');
}

export function renderDocument(template: string, parts: DocumentParts): string {
  const code = parts.code.join(' ');
  const body =
    `<div id="root" data-document="${parts.documentName}" data-code="${code}">${parts.html}</div>` +
    '\n    ' +
    `<script id="${SNAPSHOT_ID}" type="application/json">` +
    `${serializeSnapshot(parts.snapshot)}</script>`;
  return template.replace('<!--head-->', () => headHtml(parts)).replace('<!--body-->', () => body);
}

/** The one inline script's hash, as a content policy names it. */
export function inlineScriptHash(): string {
  return `sha256-${createHash('sha256').update(INLINE_SCRIPT).digest('base64')}`;
}

/** Script elements that run nothing of their own: files of ours, and blocks of data. */
const HARMLESS = /^<script(?=[^>]*\s(?:src="\/|type="application\/(?:ld\+)?json"))[^>]*>$/;

/**
 * Refuses HTML that the content policy would break: inline styles, handlers and scripts. A page of the
 * site has one inline script, which the policy knows.
 */
export function assertPolicy(path: string, html: string, inlineScripts = 1): void {
  const scripts = (html.match(/<script\b[^>]*>/gi) ?? []).filter((tag) => !HARMLESS.test(tag));
  if (scripts.length !== inlineScripts)
    throw new Error(`${path} holds ${scripts.length} inline scripts.`);
  const broken = html.match(/<[^>]*\s(?:style|on[a-z]+)="[^>]*>/);
  if (broken) throw new Error(`${path} holds an inline style or handler: ${broken[0]}`);
}
