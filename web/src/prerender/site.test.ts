import { expect, test } from 'vitest';
import { matchPage } from '@/app/router';
import { linksAt } from '@/app/site-links';
import { practiceFixture } from '@/testing/practice-fixture';
import { cardOf } from './card';
import { assertPolicy, renderDocument } from './document';
import { ORIGIN, REVIEW } from './origin';
import { indexablePaths, policyOrigins, robotsTxt, sitemapXml } from './site';
import { decimalPrice, structuredData } from './structured-data';

const TEMPLATE = '<html><head><!--head--></head><body><!--body--></body></html>';
const HOSTILE = '</script><script>alert(1)</script><!--"><img src=x onerror="alert(1)">';

type Node = Record<string, unknown> & { '@type': string };

function documentOf(path: string, snapshot = practiceFixture()): string {
  const { entry, params } = matchPage(path);
  const head = entry.head(snapshot, params);
  const data = structuredData(head.canonical ?? path, head, snapshot);
  const found = { path, card: cardOf(path, snapshot), data };
  const parts = { head, snapshot, documentName: 'x', html: '', code: [], fonts: [], found };
  const html = renderDocument(TEMPLATE, parts);
  assertPolicy(path, html);
  return html;
}

function parsed(html: string): Document {
  return new DOMParser().parseFromString(html, 'text/html');
}

function dataOf(html: string): Node[] {
  const blocks = [...html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)];
  return blocks.flatMap(([, json]) => JSON.parse(json ?? '')['@graph'] as Node[]);
}

function content(page: Document, property: string): string {
  const all = page.querySelectorAll(`meta[property="${property}"]`);
  expect(all, property).toHaveLength(1);
  return all[0]?.getAttribute('content') ?? '';
}

const SNAPSHOT = practiceFixture();
const INDEXABLE = indexablePaths(SNAPSHOT);

test('search engines are shown the public pages and no others', () => {
  const places = ['headerLeft', 'headerRight', 'footerLegal', 'footerRules'] as const;
  const pages = places.flatMap(linksAt).map(({ to }) => to);
  const services = SNAPSHOT.services.map(({ serviceId }) => `/service/${serviceId}`);
  // What leads to a booking names its service; the page without one is for search engines, too.
  expect([...INDEXABLE].sort()).toEqual([...pages, '/book', ...services].sort());
  expect(INDEXABLE).toContain('/service/karmic-healing');
  for (const path of [
    '/book-session',
    '/booking-flow',
    '/consent',
    '/receipt',
    '/meditation-guide',
  ]) {
    expect(INDEXABLE).not.toContain(path);
  }
});

test.each(INDEXABLE)('%s has one canonical address, its own', (path) => {
  const page = parsed(documentOf(path));
  const links = page.querySelectorAll('link[rel="canonical"]');
  expect(links).toHaveLength(1);
  expect(links[0]?.getAttribute('href')).toBe(`${ORIGIN}${path}`);
  expect(content(page, 'og:url')).toBe(`${ORIGIN}${path}`);
  expect(page.querySelector('meta[name="robots"]')).toBeNull();
});

test.each(INDEXABLE)('%s says in a sentence what it is', (path) => {
  const page = parsed(documentOf(path));
  const description = page.querySelector('meta[name="description"]')?.getAttribute('content') ?? '';
  expect(description.length).toBeGreaterThan(45);
  expect(description.length).toBeLessThan(165);
  expect(content(page, 'og:description')).toBe(description);
  expect(page.title.length).toBeLessThan(70);
  expect(page.title).toContain(SNAPSHOT.practice.name);
});

test.each(INDEXABLE)('%s has a card of 1200 × 630 that is described', (path) => {
  const page = parsed(documentOf(path));
  expect(content(page, 'og:image')).toMatch(/^https:\/\/site\.invalid\/cards\/[a-z-]+\.png$/);
  expect([content(page, 'og:image:width'), content(page, 'og:image:height')]).toEqual([
    '1200',
    '630',
  ]);
  expect(content(page, 'og:image:alt').length).toBeGreaterThan(20);
  expect(content(page, 'og:type')).toBe('website');
  expect(content(page, 'og:locale')).toBe('en_IN');
  expect(content(page, 'og:site_name')).toBe(SNAPSHOT.practice.name);
  const card = page.querySelector('meta[name="twitter:card"]');
  expect(card?.getAttribute('content')).toBe('summary_large_image');
});

test('no two pages have the same title or description', () => {
  const pages = INDEXABLE.map((path) => parsed(documentOf(path)));
  const descriptions = pages.map((page) =>
    page.querySelector('meta[name="description"]')?.getAttribute('content'),
  );
  expect(new Set(pages.map(({ title }) => title)).size).toBe(pages.length);
  expect(new Set(descriptions).size).toBe(pages.length);
});

test('the second path of a service names the first', () => {
  const page = parsed(documentOf('/services/meditation'));
  const link = page.querySelector('link[rel="canonical"]');
  expect(link?.getAttribute('href')).toBe(`${ORIGIN}/service/meditation`);
  expect(content(page, 'og:url')).toBe(`${ORIGIN}/service/meditation`);
});

test('a shared review has a card, and an address that the gateway completes', () => {
  const html = documentOf(`/reviews/${REVIEW}`);
  const page = parsed(html);
  const address = `${ORIGIN}/reviews/rvw_00000000000000000000000000000000`;
  expect(page.querySelector('link[rel="canonical"]')?.getAttribute('href')).toBe(address);
  expect(content(page, 'og:url')).toBe(address);
  expect(content(page, 'og:image')).toBe(`${ORIGIN}/cards/reviews.png`);
  expect(page.querySelector('meta[name="robots"]')).toBeNull();
  const crumbs = dataOf(html).find((one) => one['@type'] === 'BreadcrumbList');
  expect(crumbs?.itemListElement).toMatchObject([
    { item: `${ORIGIN}/` },
    { item: `${ORIGIN}/reviews` },
    { item: address },
  ]);
});

test('what is not for search engines has no canonical address and no data', () => {
  for (const path of ['/meditation-guide', '/booking-flow', '/receipt', '/no/such/page']) {
    const html = documentOf(path);
    expect(html, path).toContain('<meta name="robots" content="noindex">');
    expect(html, path).not.toContain('rel="canonical"');
    expect(html, path).not.toContain('ld+json');
  }
});

test('the practice is described as its files describe it, without stars', () => {
  const [site, practice] = dataOf(documentOf('/'));
  expect(site).toMatchObject({ '@type': 'WebSite', url: `${ORIGIN}/`, inLanguage: 'en-IN' });
  expect(practice).toMatchObject({
    '@type': 'ProfessionalService',
    name: SNAPSHOT.practice.name,
    telephone: SNAPSHOT.practice.phone,
    email: SNAPSHOT.practice.email,
    address: {
      streetAddress: 'Arera Colony',
      addressLocality: 'Bhopal',
      addressRegion: 'Madhya Pradesh',
      postalCode: '462016',
      addressCountry: 'IN',
    },
  });
  const all = INDEXABLE.map((path) => JSON.stringify(dataOf(documentOf(path)))).join();
  expect(all).not.toMatch(/rating|review"/i);
});

test.each(SNAPSHOT.services)('the offer of $serviceId has its price', (service) => {
  const nodes = dataOf(documentOf(`/service/${service.serviceId}`));
  const node = nodes.find((one) => one['@type'] === 'Service');
  const offer = node?.offers as Record<string, string>;
  const paise = BigInt((offer.price ?? '').replace('.', ''));
  expect(paise).toBe(service.price?.minorUnits);
  expect(offer).toMatchObject({
    priceCurrency: 'INR',
    availability: 'https://schema.org/InStock',
    url: `${ORIGIN}/service/${service.serviceId}`,
  });
  const crumbs = nodes.find((one) => one['@type'] === 'BreadcrumbList');
  expect(crumbs?.itemListElement).toHaveLength(3);
});

test('a price is a decimal that no float has touched', () => {
  expect(decimalPrice(50_000n)).toBe('500.00');
  expect(decimalPrice(110_005n)).toBe('1100.05');
  expect(decimalPrice(9_007_199_254_740_993_07n)).toBe('9007199254740993.07');
  expect(decimalPrice(7n)).toBe('0.07');
});

test('every question of the practice is in the data of /faq', () => {
  const faq = dataOf(documentOf('/faq')).find((one) => one['@type'] === 'FAQPage');
  const questions = SNAPSHOT.faqGroups.flatMap(({ faqs }) => faqs);
  expect(faq?.mainEntity).toHaveLength(questions.length);
});

test('every service of the practice is in the data of /services', () => {
  const list = dataOf(documentOf('/services')).find((one) => one['@type'] === 'ItemList');
  expect(list?.itemListElement).toHaveLength(SNAPSHOT.services.length);
});

test('texts of the practice cannot break out of the head', () => {
  const snapshot = practiceFixture();
  snapshot.practice.name = HOSTILE;
  snapshot.practice.city = HOSTILE;
  snapshot.practice.practitionerName = HOSTILE;
  for (const service of snapshot.services) {
    service.title = HOSTILE;
    service.description = HOSTILE;
  }
  for (const faq of snapshot.faqGroups.flatMap(({ faqs }) => faqs)) faq.answer = HOSTILE;
  for (const path of ['/', '/about', '/faq', '/services', '/service/meditation']) {
    const html = documentOf(path, snapshot);
    const page = parsed(html);
    expect(page.querySelectorAll('img'), path).toHaveLength(0);
    expect(html.match(/<script\b/g), path).toHaveLength(3);
    expect(JSON.stringify(dataOf(html)), path).toContain('alert(1)');
  }
});

test('the policy allows blocks of data and files of ours, and refuses other scripts', () => {
  const theme = '<script>theme()</script>';
  const data = '<script type="application/ld+json">{}</script><script type="module" src="/a.js">';
  expect(() => assertPolicy('/', theme + data)).not.toThrow();
  for (const wrong of [
    '<script>more()</script>',
    '<script type="module">more()</script>',
    '<script src="https://evil.example/x.js"></script>',
    '<script type="importmap">{}</script>',
    '<SCRIPT>more()</SCRIPT>',
    '<script data-type="application/json">more()</script>',
    '<p style="color:red">',
    '<p onclick="more()">',
  ]) {
    expect(() => assertPolicy('/', theme + wrong), wrong).toThrow();
  }
});

test('the sitemap holds each public address once, with the day of the build', () => {
  const xml = sitemapXml(SNAPSHOT, new Date('2026-11-21T10:00:00Z'));
  const locations = [...xml.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address]) => address);
  expect(locations).toEqual(INDEXABLE.map((path) => `${ORIGIN}${path}`));
  expect(xml.match(/<lastmod>2026-11-21<\/lastmod>/g)).toHaveLength(INDEXABLE.length);
  expect(xml).not.toContain('/services/');
});

test('robots.txt names the sitemap and hides no page that says noindex', () => {
  const lines = robotsTxt().trim().split('\n');
  expect(lines[0]).toBe('User-agent: *');
  expect(lines).toContain(`Sitemap: ${ORIGIN}/sitemap.xml`);
  expect(lines.filter((line) => line.startsWith('Disallow:'))).toEqual([]);
  for (const path of ['/booking-flow', '/sign-in', '/unsubscribe', '/account', '/join']) {
    expect(documentOf(path), path).toContain('<meta name="robots" content="noindex">');
  }
});

test('the policy names where videos, the portrait and the scheduling widget are', () => {
  expect(policyOrigins(SNAPSHOT)).toEqual({
    frameOrigins: [],
    mediaOrigins: [],
    imageOrigins: [],
  });
  const snapshot = practiceFixture();
  const [first, second] = snapshot.services;
  if (!first || !second || !snapshot.practice.about) throw new Error('The practice is too small.');
  first.videoUrl = 'https://media.example:8443/a.mp4?x=1';
  first.captionsUrl = 'https://captions.example/a.vtt';
  second.videoUrl = 'https://media.example:8443/b.mp4';
  for (const one of [first, second]) one.schedulingUrl = 'https://calendly.com/asha/session';
  snapshot.practice.about.portraitUrl = 'https://images.example/me.jpg';
  expect(policyOrigins(snapshot)).toEqual({
    frameOrigins: ['https://calendly.com'],
    mediaOrigins: ['https://captions.example', 'https://media.example:8443'],
    imageOrigins: ['https://images.example'],
  });
});
