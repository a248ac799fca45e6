/**
 * A picture of every route, on a phone and on a desk, in light and in dark: `make screenshots`.
 *
 * It fails when a page scrolls sideways or says anything on its console. The practice at SUKOON_URL
 * is looked at as it is; one of its own has reviews, by tools/with-practice.mjs.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openBrowser } from './browser.mjs';
import { newestReview } from './reviews.mjs';

const SITE = process.env.SUKOON_URL ?? 'http://127.0.0.1:8080';
const FOLDER = resolve(import.meta.dirname, '../screenshots/pages');
const ROUTES = resolve(import.meta.dirname, '../dist/routes.json');
const WIDTHS = [360, 1280];
const THEMES = ['light', 'dark'];
/** What appears by itself stays away: each has its own pictures among the tests' ones. */
const SEEN = [
  ['localStorage', 'promoBubbleDismissed', 'true'],
  ['sessionStorage', 'exitPopupShown', 'true'],
];

const say = (line) => process.stdout.write(`${line}\n`);

/** Every route that was built, with one of each kind whose address has a part that varies. */
async function routes() {
  const built = JSON.parse(await readFile(ROUTES, 'utf8'));
  const review = await newestReview(SITE);
  if (!review) say('– /reviews/… nobody has written a review here');
  const [service] = built.services;
  const plain = built.static.map((path) =>
    path === '/booking-flow' ? `${path}?service=${service}` : path,
  );
  const varying = [`/service/${built.services.at(-1)}`, `/services/${service}`];
  const written = review ? [review] : [];
  return [...plain, ...varying, ...written, '/reviews/none', '/no/such/page'];
}

function nameOf(path) {
  if (path === '/') return 'home';
  return path
    .slice(1)
    .replace(/\?.*/, '')
    .replace(/rvw_\w+/, 'one')
    .replaceAll('/', '-');
}

async function openPage(browser, width, theme) {
  const context = await browser.newContext({
    viewport: { width, height: width < 600 ? 780 : 800 },
    locale: 'en-IN',
    timezoneId: 'Asia/Kolkata',
    reducedMotion: 'reduce',
  });
  await context.addInitScript(
    (kept) => {
      for (const [store, key, value] of kept) window[store].setItem(key, value);
    },
    [...SEEN, ['localStorage', 'theme', theme]],
  );
  const page = await context.newPage();
  const said = [];
  page.on('console', (message) => {
    // That the address of a missing page answers 404 is what it is to do.
    const expected = message.text().includes('404 (Not Found)');
    if (['error', 'warning'].includes(message.type()) && !expected) said.push(message.text());
  });
  page.on('pageerror', (error) => said.push(error.message));
  return { page, said, view: `${width}-${theme}` };
}

/** Waits until nothing is loaded any more; what is wrong where that never happens. */
async function quiet(page) {
  try {
    await page.waitForLoadState('networkidle');
    return [];
  } catch {
    return ['goes on loading'];
  }
}

/** Waits until nothing moves and the pictures that load on scrolling are there. */
async function atRest(page) {
  const restless = await quiet(page);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  for (let top = 0; top < height; top += 600) {
    await page.evaluate((y) => window.scrollTo({ top: y, behavior: 'instant' }), top);
  }
  await page.evaluate(async () => {
    window.scrollTo({ top: 0, behavior: 'instant' });
    await document.fonts.ready;
  });
  return [...restless, ...(await quiet(page))];
}

/** Takes one picture; says what is wrong with the page. */
async function picture({ page, said, view }, path) {
  said.length = 0;
  await page.goto(SITE + path);
  const restless = await atRest(page);
  await page.screenshot({ path: join(FOLDER, `${nameOf(path)}-${view}.png`), fullPage: true });
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  const faults = sideways > 0 ? [`scrolls sideways by ${sideways} pixels`] : [];
  return [...new Set([...restless, ...faults, ...said])].map((fault) => `${fault} (${view})`);
}

/** One page with all pictures, to look through them in a browser. */
async function writeIndex(paths, views) {
  const shown = paths.map((path) => {
    const images = views.map(({ view }) => {
      const width = Number.parseInt(view, 10) / 2;
      return `<img src="${nameOf(path)}-${view}.png" width="${width}" alt="${view}" />`;
    });
    return `<h2>${path}</h2><p>${images.join(' ')}</p>`;
  });
  const style = 'body{font-family:sans-serif;background:#ddd}img{vertical-align:top}';
  const head = `<meta charset="utf-8" /><title>Pages</title><style>${style}</style>`;
  await writeFile(join(FOLDER, 'index.html'), `<!doctype html>${head}${shown.join('\n')}\n`);
}

async function main() {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const paths = await routes();
  const browser = await openBrowser();
  const views = [];
  for (const width of WIDTHS) {
    for (const theme of THEMES) views.push(await openPage(browser, width, theme));
  }
  let failed = 0;
  for (const path of paths) {
    const faults = [];
    for (const view of views) faults.push(...(await picture(view, path)));
    failed += faults.length > 0 ? 1 : 0;
    say(faults.length > 0 ? `✗ ${path} ${faults.join('; ')}` : `✓ ${path}`);
  }
  await browser.close();
  await writeIndex(paths, views);
  say(`${paths.length} pages, ${paths.length * views.length} pictures in ${FOLDER}`);
  return failed === 0;
}

process.exitCode = (await main()) ? 0 : 1;
