/** The document of the widget on other sites, and what it loads. */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Snapshot } from '@/lib/snapshot';
import { DATA_ID, type WidgetData, widgetDataOf } from '@/widget/offer';
import { wordsOf } from '@/widget/words';
import { assertPolicy } from './document';
import { escapeHtml, scriptJson } from './escape';

/** Where Vite builds the widget. */
const BUILT = 'dist-server/widget';
const ENTRY = 'src/widget/frame.ts';

/** The widget's script and its styles, as addresses. */
export type WidgetFiles = { script: string; styles: string[] };

type Manifest = Record<string, { file: string; css?: string[]; imports?: string[] }>;

/** Copies what was built beside the site, and says the names. */
export function takeWidgetFiles(dist: string, built = BUILT): WidgetFiles {
  const manifest = JSON.parse(readFileSync(join(built, 'manifest.json'), 'utf8')) as Manifest;
  const entry = manifest[ENTRY];
  if (!entry || Object.keys(manifest).some((key) => manifest[key]?.imports?.length)) {
    throw new Error('The widget was not built as one script.');
  }
  cpSync(join(built, 'assets'), join(dist, 'assets'), { recursive: true });
  cpSync(join(built, 'embed.js'), join(dist, 'embed.js'));
  return { script: `/${entry.file}`, styles: (entry.css ?? []).map((name) => `/${name}`) };
}

/**
 * What is seen before the script, and without it. It is no landmark: the page around the frame has
 * its own.
 */
function firstView({ practiceName }: WidgetData): string {
  const { words } = wordsOf('en');
  return [
    '<div id="widget">',
    `<h1>${words.title}</h1>`,
    `<p>${words.looking}</p>`,
    `<noscript><p><a href="/book" target="_blank" rel="noopener">`,
    `${words.title}: ${escapeHtml(practiceName)}</a></p></noscript>`,
    '</div>',
  ].join('');
}

/** The whole document. */
export function widgetDocument(
  { practice, services, packages }: Snapshot,
  parents: string[],
  { script, styles }: WidgetFiles,
): string {
  const data = widgetDataOf(practice, { services, packages }, parents);
  const { words } = wordsOf('en');
  const document = [
    '<!doctype html>',
    '<html lang="en-IN">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="robots" content="noindex">',
    `<title>${words.title} · ${escapeHtml(practice.name)}</title>`,
    '<link rel="icon" href="/favicon.svg" type="image/svg+xml">',
    ...styles.map((href) => `<link rel="stylesheet" href="${href}">`),
    `<script id="${DATA_ID}" type="application/json">${scriptJson(data)}</script>`,
    `<script type="module" src="${script}"></script>`,
    '</head>',
    `<body>${firstView(data)}</body>`,
    '</html>',
    '',
  ].join('\n');
  assertPolicy('/embed/book', document, 0);
  return document;
}
