/**
 * Pictures of mails as people see them: node tools/mail-pictures.mjs <folder with .html files>.
 *
 * Each mail is shown on a phone and on a desk, in light and in dark. It fails when a mail scrolls
 * sideways on the phone, has a button that a thumb misses, or loads anything from the network.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBrowser } from './browser.mjs';

const WIDTHS = [360, 800];
const THEMES = ['light', 'dark'];
/** The least height of a button on a phone, in pixels. */
const BUTTON_MIN = 44;

const say = (line) => process.stdout.write(`${line}\n`);

/** What a mail does that no mail may do, seen in the page that shows it. */
async function faultsOf(page) {
  const seen = await page.evaluate(() => ({
    sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    buttons: [...document.querySelectorAll('.button a')].map(
      (it) => it.getBoundingClientRect().height,
    ),
  }));
  const faults = [];
  if (seen.sideways > 0) {
    faults.push(`scrolls sideways by ${seen.sideways} pixels`);
  }
  if (seen.buttons.some((height) => height < BUTTON_MIN)) {
    faults.push(`has a button of ${Math.min(...seen.buttons)} pixels`);
  }
  return faults;
}

/** A page of one width and theme that notes what it is asked to load. */
async function openPage(browser, width, theme) {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    deviceScaleFactor: width < 600 ? 2 : 1,
    locale: 'en-IN',
  });
  const page = await context.newPage();
  const loaded = [];
  await page.route('**/*', (route) => {
    const request = route.request();
    if (request.isNavigationRequest()) {
      return route.continue();
    }
    loaded.push(request.url());
    return route.abort();
  });
  return { page, loaded, width, theme, view: `${width}-${theme}` };
}

/** Takes a mail's pictures; what is wrong with it, in words. */
async function picture(views, folder, pictures, name) {
  const faults = new Set();
  for (const { page, loaded, view } of views) {
    loaded.length = 0;
    await page.goto(pathToFileURL(join(folder, `${name}.html`)).href);
    for (const fault of await faultsOf(page)) {
      faults.add(`${fault} (${view})`);
    }
    for (const url of loaded) {
      faults.add(`loads ${url}`);
    }
    await page.screenshot({ path: join(pictures, `${name}-${view}.png`), fullPage: true });
  }
  return [...faults];
}

/** One page with all pictures, to look through them in a browser. */
async function writeIndex(folder, names, views) {
  const subject = async (name) => (await readFile(join(folder, `${name}.subject`), 'utf8')).trim();
  const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const shown = await Promise.all(
    names.map(async (name) => {
      const images = views.map(
        ({ view, width }) =>
          `<img src="pictures/${name}-${view}.png" width="${width / 2}" alt="${view}" />`,
      );
      const links = `<a href="${name}.html">HTML</a> <a href="${name}.txt">text</a>`;
      return `<h2>${name}</h2><p>${escaped(await subject(name))} ${links}</p><p>${images.join(' ')}</p>`;
    }),
  );
  const style = 'body{font-family:sans-serif;background:#ddd}img{vertical-align:top}';
  const head = `<meta charset="utf-8" /><title>Mails</title><style>${style}</style>`;
  await writeFile(join(folder, 'index.html'), `<!doctype html>${head}${shown.join('\n')}\n`);
}

async function main(given) {
  const folder = resolve(given);
  const pictures = join(folder, 'pictures');
  await rm(pictures, { recursive: true, force: true });
  await mkdir(pictures, { recursive: true });
  const files = await readdir(folder);
  const names = files
    .filter((file) => existsSync(join(folder, file.replace(/\.html$/, '.subject'))))
    .filter((file) => file.endsWith('.html'))
    .map((file) => file.replace(/\.html$/, ''))
    .sort();
  const browser = await openBrowser();
  const views = [];
  for (const width of WIDTHS) {
    for (const theme of THEMES) {
      views.push(await openPage(browser, width, theme));
    }
  }
  let failed = 0;
  for (const name of names) {
    const faults = await picture(views, folder, pictures, name);
    failed += faults.length > 0 ? 1 : 0;
    say(faults.length > 0 ? `✗ ${name} ${faults.join('; ')}` : `✓ ${name}`);
  }
  await browser.close();
  await writeIndex(folder, names, views);
  say(`${names.length} mails, ${names.length * views.length} pictures in ${pictures}`);
  return names.length > 0 && failed === 0;
}

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('Say which folder the mails are in.\n');
  process.exitCode = 2;
} else if (!(await main(folder))) {
  process.exitCode = 1;
}
