/**
 * What search engines, previews of shared links and video players meet: real statuses, one address
 * per page, data that parses, pictures that are there, and parts of files.
 */
import type { APIRequestContext } from '@playwright/test';
import { readPracticeFiles } from '../src/prerender/practice-files';
import { indexablePaths } from '../src/prerender/site';
import { look } from './support/look';
import { newPerson } from './support/people';
import { writeReview } from './support/rpc';
import { expect, test } from './support/test';
import { refusal } from './support/watch';
import { dayOf } from './support/written';

type Node = Record<string, unknown> & { '@type': string };

async function htmlOf(request: APIRequestContext, path: string, status = 200): Promise<string> {
  const answer = await request.get(path);
  expect(answer.status(), path).toBe(status);
  expect(answer.headers()['content-type']).toBe('text/html; charset=utf-8');
  return answer.text();
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

function nodeOf(html: string, type: string): Node {
  const node = dataOf(html).find((one) => one['@type'] === type);
  expect(node, type).toBeTruthy();
  return node as Node;
}

async function addressesOf(request: APIRequestContext): Promise<string[]> {
  const answer = await request.get('/sitemap.xml');
  expect(answer.status()).toBe(200);
  expect(answer.headers()['content-type']).toBe('application/xml; charset=utf-8');
  const xml = await answer.text();
  expect(xml).not.toContain('site.invalid');
  return [...xml.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address]) => address ?? '');
}

test('an unknown path has the 404 page and status @phone', async ({ page, complaints }) => {
  complaints.expect(refusal('/no/such/page'));
  const answer = await page.goto('/no/such/page');
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Oops! Page Not Found');
  await look(page, 'found-404');
});

for (const path of ['/About', '/%61bout', '/Booking-Flow', '/About/']) {
  test(`${path} is no page, in the browser neither`, async ({ page, complaints }) => {
    complaints.expect(refusal(path));
    // The app reads it after hydration; until then the gateway's document is shown.
    const running = page.waitForResponse('**/catalogue.v1.CatalogueService/GetPractice?*');
    const answer = await page.goto(path);
    expect(answer?.status()).toBe(404);
    expect(await answer?.text()).toContain('<meta name="robots" content="noindex">');
    await running;
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Oops! Page Not Found');
    await expect(page).toHaveTitle(/^Page Not Found/);
  });
}

for (const path of ['/service/levitation', '/services/levitation', '/service/%6Deditation']) {
  test(`${path} has a page of its own and the status 404`, async ({ page, complaints }) => {
    complaints.expect(refusal(path), refusal('/rpc/catalogue.v1.CatalogueService/GetService'));
    const answer = await page.goto(path);
    expect(answer?.status()).toBe(404);
    // It says so before any code of ours runs.
    expect(await answer?.text()).toContain('Service Not Found');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Service Not Found');
    await expect(page.getByRole('link', { name: 'Return to Services' })).toBeVisible();
  });
}

test('what is not there is not kept by search engines', async ({ request }) => {
  for (const path of ['/no/such/page', '/service/levitation', '/reviews/none', '/routes.json']) {
    const html = await htmlOf(request, path, 404);
    expect(html, path).toContain('<meta name="robots" content="noindex">');
    expect(canonicalOf(html), path).toEqual([]);
    expect(html, path).not.toContain('site.invalid');
  }
  for (const path of ['/assets/gone.js', '/cards/gone.png', '/media/gone.mp4']) {
    expect((await request.get(path)).status(), path).toBe(404);
  }
});

test('robots.txt names the sitemap of this site', async ({ request, practice }) => {
  const answer = await request.get('/robots.txt');
  expect(answer.status()).toBe(200);
  expect(answer.headers()['content-type']).toBe('text/plain; charset=utf-8');
  const lines = (await answer.text()).trim().split('\n');
  expect(lines[0]).toBe('User-agent: *');
  expect(lines).toContain(`Sitemap: ${practice.url}/sitemap.xml`);
  expect(lines).toContain('Disallow: /booking-flow');
});

test('every address of the sitemap is there and is its own', async ({ request, practice }) => {
  const addresses = await addressesOf(request);
  const paths = indexablePaths(readPracticeFiles('../deploy/local/practice'));
  expect(addresses).toEqual(paths.map((path) => `${practice.url}${path}`));
  expect(new Set(addresses).size).toBe(addresses.length);
  const titles = new Set<string>();
  for (const address of addresses) {
    expect(address.startsWith(`${practice.url}/`), address).toBe(true);
    const html = await htmlOf(request, address);
    expect(canonicalOf(html)).toEqual([address]);
    expect(property(html, 'og:url')).toBe(address);
    expect(html).not.toContain('noindex');
    expect(html).not.toContain('site.invalid');
    titles.add(/<title>(.*?)<\/title>/.exec(html)?.[1] ?? '');
  }
  expect(titles.size).toBe(addresses.length);
});

test('both paths of a service answer and name one address', async ({ request, practice }) => {
  for (const path of ['/service/meditation', '/services/meditation']) {
    const html = await htmlOf(request, path);
    expect(canonicalOf(html)).toEqual([`${practice.url}/service/meditation`]);
  }
});

test('every public page has a card of 1200 × 630', async ({ request, practice }) => {
  const cards = new Set<string>();
  for (const address of await addressesOf(request)) {
    const html = await htmlOf(request, address);
    expect(property(html, 'og:image:alt').length).toBeGreaterThan(20);
    expect(html).toContain('<meta name="twitter:card" content="summary_large_image">');
    cards.add(property(html, 'og:image'));
  }
  expect(cards.size).toBe(15);
  for (const card of cards) {
    expect(card.startsWith(`${practice.url}/cards/`), card).toBe(true);
    const answer = await request.get(card);
    expect(answer.status(), card).toBe(200);
    expect(answer.headers()['content-type']).toBe('image/png');
    // Other sites show it where a link is shared.
    expect(answer.headers()['cross-origin-resource-policy']).toBe('cross-origin');
    const picture = await answer.body();
    expect(picture.subarray(1, 4).toString('latin1')).toBe('PNG');
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)], card).toEqual([1200, 630]);
    expect(picture.length, card).toBeLessThanOrEqual(150_000);
  }
});

test('a shared review has a card and an address of its own', async ({ request, practice }) => {
  const { reviewId } = await writeReview(practice.url, newPerson('Leela'), 'I sleep again.');
  const html = await htmlOf(request, `/reviews/${reviewId}`);
  const address = `${practice.url}/reviews/${reviewId}`;
  expect(canonicalOf(html)).toEqual([address]);
  expect(property(html, 'og:url')).toBe(address);
  expect(property(html, 'og:title')).toBe('Leela Verma on Energy Healing');
  expect(property(html, 'og:type')).toBe('website');
  expect(property(html, 'og:image')).toBe(`${practice.url}/cards/reviews.png`);
  expect(nodeOf(html, 'BreadcrumbList').itemListElement).toHaveLength(3);
  // What the build could not know has been put in everywhere.
  expect(html).not.toContain('site.invalid');
  expect(html).not.toContain('0'.repeat(32));
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
  await context.close();
  // The same elements are taken over by the app.
  await page.goto(path, { waitUntil: 'commit' });
  const read = page.getByText('I sleep again.');
  await read.evaluate((element) => Object.assign(element, { isFirst: true }));
  await expect(page.getByText(dayOf(writtenAt))).toBeVisible();
  expect(await read.evaluate((element) => 'isFirst' in element)).toBe(true);
  await expect(read).toHaveText(words);
});

test('pages say what they are in the words of schema.org', async ({ request, practice }) => {
  const home = await htmlOf(request, '/');
  expect(nodeOf(home, 'WebSite').url).toBe(`${practice.url}/`);
  expect(nodeOf(home, 'ProfessionalService')).toMatchObject({
    url: `${practice.url}/`,
    address: { '@type': 'PostalAddress', addressCountry: 'IN' },
  });
  const faq = nodeOf(await htmlOf(request, '/faq'), 'FAQPage');
  expect(faq.mainEntity).toHaveLength(14);
  const services = nodeOf(await htmlOf(request, '/services'), 'ItemList');
  expect(services.itemListElement).toHaveLength(7);
  const html = await htmlOf(request, '/service/karmic-healing');
  expect(nodeOf(html, 'Service').offers).toMatchObject({ price: '2100.00', priceCurrency: 'INR' });
  expect(nodeOf(html, 'BreadcrumbList').itemListElement).toHaveLength(3);
  for (const address of await addressesOf(request)) {
    const nodes = dataOf(await htmlOf(request, address));
    expect(nodes.length, address).toBeGreaterThan(1);
    expect(JSON.stringify(nodes)).not.toMatch(/aggregateRating|ratingValue/);
  }
});

test('/book and /book-session are pages, whatever their query says', async ({ request }) => {
  const once = { maxRedirects: 0 };
  for (const path of [
    '/book',
    '/book?service=energy-healing',
    '/book?service=levitation',
    '/book?service=%2F%2Fevil.example',
    '/book-session?auth=cancelled',
  ]) {
    const answer = await request.get(path, once);
    expect(answer.status(), path).toBe(200);
    expect(await answer.text(), path).toContain('Book a Session');
  }
  const slash = await request.get('/book-session/?auth=cancelled', once);
  expect(slash.status()).toBe(308);
  expect(slash.headers().location).toBe('/book-session?auth=cancelled');
  // Paying happens elsewhere, so this document loads nothing of the provider.
  const policy = (await request.get('/book')).headers()['content-security-policy'];
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('frame-src');
});

test('a video is sent in parts', async ({ request }) => {
  const path = '/media/meditation.mp4';
  const whole = await request.get(path);
  expect(whole.status()).toBe(200);
  expect(whole.headers()).toMatchObject({ 'content-type': 'video/mp4', 'accept-ranges': 'bytes' });
  expect(whole.headers()['content-encoding']).toBeUndefined();
  const { length } = await whole.body();
  const ranged = (range: string) => request.get(path, { headers: { range } });
  const first = await ranged('bytes=0-99');
  expect(first.status()).toBe(206);
  expect(first.headers()['content-range']).toBe(`bytes 0-99/${length}`);
  expect(await first.body()).toEqual((await whole.body()).subarray(0, 100));
  const last = await ranged('bytes=-10');
  expect(last.headers()['content-range']).toBe(`bytes ${length - 10}-${length - 1}/${length}`);
  const beyond = await ranged(`bytes=${length}-`);
  expect(beyond.status()).toBe(416);
  expect(beyond.headers()['content-range']).toBe(`bytes */${length}`);
  const captions = await request.get('/media/meditation.vtt');
  expect(captions.headers()['content-type']).toBe('text/vtt; charset=utf-8');
});

test('pages allow videos of our own and no others', async ({ request }) => {
  for (const path of ['/', '/service/meditation', '/booking-flow']) {
    const policy = (await request.get(path)).headers()['content-security-policy'];
    expect(policy, path).toContain("; media-src 'self';");
  }
});
