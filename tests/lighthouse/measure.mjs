/**
 * Lighthouse on every public route, on its mobile phone: `make lighthouse`.
 *
 * Each route of the practice at SUKOON_URL is opened RUNS times and judged by its medians; ROUTES
 * ("/ /faq") measures only those. It prints a table, writes the same as JSON into the folder it is
 * given, and fails where a promise is not kept: accessibility, best practices and SEO 100, the
 * largest paint within 1.8 seconds. Performance below 95 is explained and does not fail.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { killAll, launch } from 'chrome-launcher';
import lighthouse from 'lighthouse';
import { builtRoutes, picked, publicRoutes } from './routes.mjs';
import { broken, CATEGORIES, COLUMNS, figuresOf, reasons, summarize } from './verdict.mjs';

const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];
const TITLES = ['perf', 'a11y', 'best', 'SEO', 'LCP s', 'CLS', 'TBT ms', 'kB'];
const WIDTH = 8;
/** How we are told to end, and what a shell says of a program that ended so. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

const say = (line) => process.stdout.write(`${line}\n`);

/** How often an opening that gave no figures is repeated: the browser loses a trace now and then. */
const REPEATS = 2;

/** One opening of one page. */
async function openOnce(url, port, categories) {
  const { lhr } = await lighthouse(url, {
    port,
    output: 'json',
    logLevel: 'error',
    formFactor: 'mobile',
    onlyCategories: categories,
  });
  return figuresOf(url, lhr, categories);
}

/** One opening that gave figures. */
async function measure(url, port, categories) {
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await openOnce(url, port, categories);
    } catch (failure) {
      if (repeats === REPEATS) throw failure;
      say(`    · opened again: ${failure.message}`);
    }
  }
}

async function measureRoute(site, { path, unlisted }, { port, runs }) {
  const categories = unlisted ? CATEGORIES.filter((id) => id !== 'seo') : CATEGORIES;
  const measured = [];
  for (let run = 0; run < runs; run += 1) {
    measured.push(await measure(site + path, port, categories));
  }
  return { path, unlisted, ...summarize(measured), runs: measured };
}

function cell(row, column) {
  const value = row[column];
  if (value === undefined) return '–';
  if (column === 'lcp') return (value / 1000).toFixed(2);
  return column === 'cls' ? value.toFixed(3) : String(Math.round(value));
}

function line(first, cells, width) {
  return first.padEnd(width) + cells.map((text) => text.padStart(WIDTH)).join('');
}

function print(row, width) {
  say(
    line(
      row.path,
      COLUMNS.map((column) => cell(row, column)),
      width,
    ),
  );
  for (const text of broken(row)) say(`    ✗ ${text}`);
  for (const text of reasons(row)) say(`    · performance: ${text}`);
}

/** Measures one route after the other, in one browser that ends with this in any case. */
async function measureAll(site, routes, runs) {
  const width = Math.max(...routes.map(({ path }) => path.length)) + 1;
  const rows = [];
  try {
    const chrome = await launch({
      chromePath: process.env.CHROME_PATH,
      chromeFlags: FLAGS,
      logLevel: 'error',
      handleSIGINT: false,
    });
    say(`${routes.length} routes on a phone, medians of ${runs}`);
    say(line('', TITLES, width));
    for (const route of routes) {
      const row = await measureRoute(site, route, { port: chrome.port, runs });
      rows.push(row);
      print(row, width);
    }
  } finally {
    killAll();
  }
  return rows;
}

async function main(site, folder) {
  const runs = Number(process.env.RUNS || 5);
  if (!Number.isInteger(runs) || runs < 1) throw new Error('RUNS is no number of openings');
  const only = (process.env.ROUTES ?? '').split(' ').filter(Boolean);
  const { routes: all, leftOut } = await publicRoutes(site, await builtRoutes());
  const routes = picked(all, only);
  say('Left out on purpose:');
  for (const { path, reason } of leftOut) say(`  ${path} – ${reason}`);
  const rows = await measureAll(site, routes, runs);
  await mkdir(folder, { recursive: true });
  const report = join(folder, 'lighthouse.json');
  await writeFile(report, `${JSON.stringify({ runs, leftOut, rows }, null, 2)}\n`);
  const failed = rows.filter((row) => broken(row).length > 0).length;
  say(failed > 0 ? `${failed} routes break a promise.` : 'Every promise is kept.');
  say(report);
  return failed === 0;
}

for (const [signal, code] of Object.entries(SIGNALS)) {
  process.on(signal, () => {
    // The browser is in a group of its own, where no signal for ours comes.
    killAll();
    process.exit(code);
  });
}
const { SUKOON_URL: site = 'http://127.0.0.1:8080' } = process.env;
process.exitCode = (await main(site, process.argv[2] ?? '.')) ? 0 : 1;
