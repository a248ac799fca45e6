/** A site of the practice on another origin, which shows the widget, and a practice that lists it. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join, resolve } from 'node:path';
import { readEmbeddingOrigins, readPracticeFiles } from '../../src/prerender/practice-files';
import { takeWidgetFiles, widgetDocument } from '../../src/prerender/widget-document';

const WEB = resolve(import.meta.dirname, '../..');
const USUAL = resolve(WEB, '../deploy/local/practice');

/** A page of the site as its owner wrote it: the body, and scripts that are loaded at its end. */
type HostPage = { body: string; scripts?: string[] };

/** Notes every message and every event of the widget, as a page that reacts to them would. */
const NOTES = `
  window.messages = [];
  window.stepsSeen = [];
  addEventListener('message', ({ data, origin }) => messages.push({ origin, ...data }));
  for (const name of ['ready', 'time_selected', 'booking_opened', 'event_scheduled', 'closed']) {
    addEventListener('sukoon:' + name, ({ detail }) => stepsSeen.push({ name, detail }));
  }
`;

declare global {
  interface Window {
    messages: { origin: string; event: string; payload: Record<string, unknown> }[];
    stepsSeen: { name: string; detail: Record<string, unknown> }[];
  }
}

/** A strict policy: no inline style or script, nothing but the widget's script and its frame. */
function policyFor(practiceUrl: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${practiceUrl}`,
    "style-src 'self'",
    'img-src data:',
    `frame-src ${practiceUrl}`,
    "base-uri 'none'",
  ].join('; ');
}

/** The page listens before its frame is there: a document in the browser's cache is ready at once. */
function documentOf({ body, scripts = [] }: HostPage): string {
  const tags = scripts.map((src) => `<script src="${src}"></script>`);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Wellness</title>',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<link rel="icon" href="data:,"><script src="/notes.js"></script></head><body>',
    `<main><h1>Our sessions</h1><p><a href="#more">More about us</a></p>${body}</main>`,
    `${tags.join('')}</body></html>`,
  ].join('');
}

export type OtherSite = {
  origin: string;
  /** Says what the site's pages are, by path; the practice is known later than the site. */
  show: (practiceUrl: string, pages: Record<string, HostPage>) => void;
  stop: () => Promise<void>;
};

/** Serves at localhost, which is another origin than the practice's 127.0.0.1. */
export async function openSite(): Promise<OtherSite> {
  let pages: Record<string, HostPage> = {};
  let policy = '';
  const server: Server = createServer((request, response) => {
    if (request.url === '/notes.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(NOTES);
      return;
    }
    const page = pages[request.url ?? ''];
    if (!page) {
      response.writeHead(404).end();
      return;
    }
    const headers = { 'content-type': 'text/html', 'content-security-policy': policy };
    response.writeHead(200, headers).end(documentOf(page));
  });
  await new Promise<void>((done) => server.listen(0, 'localhost', done));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    origin: `http://localhost:${port}`,
    show: (practiceUrl, shown) => {
      pages = shown;
      policy = policyFor(practiceUrl);
    },
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

/** Settings of a practice that lists an origin, in a folder of its own, with its pages. */
export function practiceThatLists(origin: string, folder: string): Record<string, string> {
  const practice = join(folder, 'practice');
  const site = join(folder, 'dist');
  mkdirSync(practice, { recursive: true });
  const text = readFileSync(join(USUAL, 'practice.toml'), 'utf8');
  const none = '[embedding]\norigins = []';
  if (!text.includes(none)) throw new Error('The practice lists origins already.');
  const listed = text.replace(none, `[embedding]\norigins = ["${origin}"]`);
  writeFileSync(join(practice, 'practice.toml'), listed);
  // Of the built pages two files depend on the list; the whole build takes longer than the test.
  cpSync(join(WEB, 'dist'), site, { recursive: true });
  const origins = readEmbeddingOrigins(practice);
  const csp = JSON.parse(readFileSync(join(site, 'csp.json'), 'utf8'));
  writeFileSync(join(site, 'csp.json'), JSON.stringify({ ...csp, frameAncestors: origins }));
  const files = takeWidgetFiles(site, join(WEB, 'dist-server/widget'));
  const document = widgetDocument(readPracticeFiles(USUAL), origins, files);
  writeFileSync(join(site, 'embed/book/index.html'), document);
  return { PRACTICE_DIR: practice, GATEWAY_WEB_DIR: site };
}
