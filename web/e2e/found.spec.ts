/**
 * The built site as it is served: real statuses, one address per page, pictures that are there, and
 * words that need no scripts. What each document says is in src/prerender/written-pages.test.tsx and
 * site.test.ts; headers, and parts of files, in gateway/tests/it.
 */
import type { APIRequestContext, Page } from '@playwright/test';
import { readLegalFiles } from '../src/prerender/legal-files';
import { readPracticeFiles } from '../src/prerender/practice-files';
import { indexablePaths } from '../src/prerender/site';
import { newPerson } from './support/people';
import { writeReview } from './support/rpc';
import { expect, plainTest, test } from './support/test';
import { refusal } from './support/watch';
import { dayOf } from './support/written';

const OURS = '../deploy/local/practice';

type Node = Record<string, unknown> & { '@type': string };

async function htmlOf(request: APIRequestContext, path: string, status = 200): Promise<string> {
  const answer = await request.get(path, { maxRedirects: 0 });
  expect(answer.status(), path).toBe(status);
  expect(answer.headers()['content-type']).toBe('text/html; charset=utf-8');
  const html = await answer.text();
  // What the build could not know has been put in everywhere.
  expect(html, path).not.toContain('site.invalid');
  return html;
}

function canonicalOf(html: string): string[] {
  return [...html.matchAll(/<link rel="canonical" href="([^"]*)">/g)].map(([, href]) => href ?? '');
}

function property(html: string, name: string): string {
  const found = new RegExp(`<meta property="${name}" content="([^"]*)">`).exec(html);
  expect(found, name).not.toBeNull();
  return found?.[1] ?? '';
}

function dataOf(html: string): Node[] {
  const blocks = [...html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)];
  return blocks.flatMap(([, json]) => JSON.parse(json ?? '')['@graph'] as Node[]);
}

async function addressesOf(request: APIRequestContext): Promise<string[]> {
  const xml = await (await request.get('/sitemap.xml')).text();
  expect(xml).not.toContain('site.invalid');
  return [...xml.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address]) => address ?? '');
}

/** A picture of the size that its page names, which other sites may show. */
async function expectCard(request: APIRequestContext, card: string): Promise<void> {
  const answer = await request.get(card);
  expect(answer.status(), card).toBe(200);
  expect(answer.headers()).toMatchObject({
    'content-type': 'image/png',
    'cross-origin-resource-policy': 'cross-origin',
  });
  const picture = await answer.body();
  expect([picture.readUInt32BE(16), picture.readUInt32BE(20)], card).toEqual([1200, 630]);
  expect(picture.length, card).toBeLessThanOrEqual(150_000);
}

plainTest('every address of the sitemap is there and is its own', async ({ request, practice }) => {
  const addresses = await addressesOf(request);
  const paths = indexablePaths(readPracticeFiles(OURS));
  expect(addresses).toEqual(paths.map((path) => `${practice.url}${path}`));
  const robots = await (await request.get('/robots.txt')).text();
  expect(robots).toContain(`\nSitemap: ${practice.url}/sitemap.xml`);
  const titles = new Set<string>();
  const cards = new Set<string>();
  for (const address of addresses) {
    const html = await htmlOf(request, address);
    expect(canonicalOf(html)).toEqual([address]);
    expect(property(html, 'og:url')).toBe(address);
    expect(html).not.toContain('noindex');
    expect(dataOf(html).length, address).toBeGreaterThan(1);
    titles.add(/<title>(.*?)<\/title>/.exec(html)?.[1] ?? '');
    cards.add(property(html, 'og:image'));
  }
  expect(titles.size).toBe(addresses.length);
  expect(cards.size).toBe(15);
  for (const card of cards) {
    expect(card.startsWith(`${practice.url}/cards/`), card).toBe(true);
    await expectCard(request, card);
  }
  const second = await htmlOf(request, '/services/meditation');
  expect(canonicalOf(second)).toEqual([`${practice.url}/service/meditation`]);
  for (const query of ['service=levitation', 'service=%2F%2Fevil.example', 'auth=cancelled']) {
    expect(await htmlOf(request, `/book?${query}`)).toContain('Book a Session');
  }
  // Paying happens elsewhere, so this document loads nothing of the provider.
  const policy = (await request.get('/book')).headers()['content-security-policy'];
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('frame-src');
});

plainTest('what is not there is not kept by search engines', async ({ request }) => {
  for (const path of ['/no/such/page', '/service/levitation', '/reviews/none', '/routes.json']) {
    const html = await htmlOf(request, path, 404);
    expect(html, path).toContain('<meta name="robots" content="noindex">');
    expect(canonicalOf(html), path).toEqual([]);
  }
  for (const path of ['/assets/gone.js', '/cards/gone.png', '/media/gone.mp4']) {
    expect((await request.get(path)).status(), path).toBe(404);
  }
});

/** Opens what is no page; the app reads its document, and what it shows then is the same. */
async function expectNone(page: Page, path: string, heading: string): Promise<void> {
  const running = page.waitForResponse('**/catalogue.v1.CatalogueService/GetPractice?*');
  const answer = await page.goto(path);
  expect(answer?.status()).toBe(404);
  // It says so before any code of ours runs.
  expect(await answer?.text()).toContain(heading);
  await running;
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
}

test('what is no page is none when the app runs either', async ({ page, complaints }) => {
  complaints.expect(refusal('/rpc/catalogue.v1.CatalogueService/GetService'));
  for (const path of ['/About', '/%61bout', '/Booking-Flow', '/About/']) {
    await test.step(path, async () => {
      complaints.expect(refusal(path));
      await expectNone(page, path, 'Oops! Page Not Found');
      await expect(page).toHaveTitle(/^Page Not Found/);
    });
  }
  for (const path of ['/service/levitation', '/services/levitation', '/service/%6Deditation']) {
    await test.step(path, async () => {
      complaints.expect(refusal(path));
      await expectNone(page, path, 'Service Not Found');
      await expect(page.getByRole('link', { name: 'Return to Services' })).toBeVisible();
    });
  }
});

test('a review can be read before and without scripts', async ({ browser, practice, page }) => {
  const words = `A "new" start & </script><b>rest</b>.\n${'I sleep again. '.repeat(12)}`.trim();
  const writtenAt = new Date();
  const { reviewId } = await writeReview(practice.url, newPerson('Leela'), words);
  const path = `/reviews/${reviewId}`;
  const context = await browser.newContext({ javaScriptEnabled: false });
  const bare = await context.newPage();
  await bare.goto(`${practice.url}${path}`, { waitUntil: 'load' });
  await expect(bare).toHaveTitle(/^Leela Verma on Energy Healing · /);
  await expect(bare.getByRole('heading', { level: 1 })).toHaveText('Leela Verma on Energy Healing');
  await expect(bare.getByText('I sleep again.')).toHaveText(words);
  await expect(bare.getByRole('img', { name: '4 stars of 5' })).toBeVisible();
  await expect(bare.getByText('Recent Review')).toBeVisible();
  const quoted = await bare.locator('meta[property="og:description"]').getAttribute('content');
  expect(quoted).toMatch(/^A "new" start & <\/script><b>rest<\/b>\. I sleep again\. .*…$/);
  const html = await htmlOf(bare.request, `${practice.url}${path}`);
  expect(canonicalOf(html)).toEqual([`${practice.url}${path}`]);
  expect(property(html, 'og:title')).toBe('Leela Verma on Energy Healing');
  expect(property(html, 'og:image')).toBe(`${practice.url}/cards/reviews.png`);
  expect(html).not.toContain('0'.repeat(32));
  await context.close();
  // The same elements are taken over by the app.
  await page.goto(path, { waitUntil: 'commit' });
  const read = page.getByText('I sleep again.');
  await read.evaluate((element) => Object.assign(element, { isFirst: true }));
  await expect(page.getByText(dayOf(writtenAt))).toBeVisible();
  expect(await read.evaluate((element) => 'isFirst' in element)).toBe(true);
  await expect(read).toHaveText(words);
});

test('other pages can be read without scripts', async ({ browser, practice }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: practice.url });
  const page = await context.newPage();
  await page.goto('/about');
  await expect(page.getByRole('heading', { level: 3, name: 'Certified Healer' })).toBeVisible();
  await page.goto('/faq');
  const question = page.locator('details[data-question]', {
    has: page.getByRole('heading', { level: 3, name: 'How can I pay?' }),
  });
  await question.locator('summary').click();
  await expect(question.getByText(/UPI/)).toBeVisible();
  await page.goto('/meditation-guide');
  const last = { level: 3, name: 'Step 5: Return gently' };
  await expect(page.getByRole('heading', last)).toBeVisible();
  for (const [name, { sections }] of Object.entries(readLegalFiles(OURS))) {
    await page.goto(`/${name}`);
    for (const { title } of sections) {
      await expect(page.getByRole('heading', { level: 2, name: title })).toBeVisible();
    }
  }
  await context.close();
});
