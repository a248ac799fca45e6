/** Puts a page's document together from the built template. */
import { createHash } from 'node:crypto';
import type { PageHead } from '@/app/pages';
import { SNAPSHOT_ID, type Snapshot, serializeSnapshot } from '@/lib/snapshot';
import { THEME_SCRIPT } from '@/lib/theme';

export type DocumentParts = {
  head: PageHead;
  snapshot: Snapshot;
  /** Name that tells the browser whether it may hydrate this HTML. */
  documentName: string;
  /** The page's HTML. */
  html: string;
  /** Built files to fetch early. */
  modules: readonly string[];
  fonts: readonly string[];
  /** Origin of the site, for canonical addresses; empty leaves them relative. */
  origin: string;
};

function escapeHtml(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');
}

function headHtml({ head, snapshot, modules, fonts, origin }: DocumentParts): string {
  const title = escapeHtml(`${head.title} · ${snapshot.practice.name}`);
  const description = escapeHtml(head.description);
  return [
    `<script>${THEME_SCRIPT}</script>`,
    `<title>${title}</title>`,
    description ? `<meta name="description" content="${description}">` : '',
    description ? `<meta property="og:description" content="${description}">` : '',
    `<meta property="og:title" content="${title}">`,
    head.canonical ? `<link rel="canonical" href="${origin}${head.canonical}">` : '',
    head.hidden ? '<meta name="robots" content="noindex">' : '',
    ...fonts.map(
      (href) => `<link rel="preload" as="font" type="font/woff2" crossorigin href="${href}">`,
    ),
    ...modules.map((href) => `<link rel="modulepreload" crossorigin href="${href}">`),
  ]
    .filter(Boolean)
    .join('\n    ');
}

export function renderDocument(template: string, parts: DocumentParts): string {
  const body =
    `<div id="root" data-document="${parts.documentName}">${parts.html}</div>\n    ` +
    `<script id="${SNAPSHOT_ID}" type="application/json">` +
    `${serializeSnapshot(parts.snapshot)}</script>`;
  return template.replace('<!--head-->', () => headHtml(parts)).replace('<!--body-->', () => body);
}

/** The one inline script's hash, as a content policy names it. */
export function themeScriptHash(): string {
  return `sha256-${createHash('sha256').update(THEME_SCRIPT).digest('base64')}`;
}

/** Refuses HTML that the content policy would break: inline styles, handlers and scripts. */
export function assertPolicy(path: string, html: string): void {
  const scripts = html.match(/<script(?![^>]*\b(?:src=|type="application\/json"))[^>]*>/g) ?? [];
  if (scripts.length !== 1) throw new Error(`${path} holds ${scripts.length} inline scripts.`);
  const broken = html.match(/<[^>]*\s(?:style|on[a-z]+)="[^>]*>/);
  if (broken) throw new Error(`${path} holds an inline style or handler: ${broken[0]}`);
}
