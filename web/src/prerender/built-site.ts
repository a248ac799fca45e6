/** What Vite built of the site, which pages of other words of the practice are made of again. */
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BUILT_FILES } from './built-files';

const TEMPLATE = 'dist-server/template.html';
/** What is written anew each time, besides documents. */
const WRITTEN = ['media', 'robots.txt', 'sitemap.xml', 'routes.json', 'csp.json'];

/** Keeps what the rendering of a fresh build writes over: Vite's document, and its list of files. */
export function keepTemplate(dist: string): void {
  writeFileSync(TEMPLATE, readFileSync(join(dist, 'index.html')));
  renameSync(join(dist, '.vite/manifest.json'), BUILT_FILES);
  rmSync(join(dist, '.vite'), { recursive: true });
}

export function readTemplate(): string {
  return readFileSync(TEMPLATE, 'utf8');
}

function isOfPractice(name: string): boolean {
  return WRITTEN.includes(name) || name.endsWith('.html') || name === 'review-marks.json';
}

/** Copies what is the same for all words: code, styles, fonts, icons, pictures of shared links. */
export function copyBuilt(dist: string, to: string): void {
  cpSync(dist, to, {
    recursive: true,
    filter: (path) => !isOfPractice(relative(dist, path)),
  });
}

export function hasCard(site: string, name: string): boolean {
  return existsSync(join(site, 'cards', `${name}.png`));
}
