/**
 * The table of routes: what each page's document says before any script of ours runs. Statuses and
 * headers are the gateway's (gateway/tests/it/pages.rs, e2e/found.spec.ts).
 */
import { within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { PAGES } from '@/app/pages';
import { linksAt } from '@/app/site-links';
import { LEGAL_PAGES } from '@/features/legal/legal-pages';
import { LEGAL_NAMES } from '@/lib/legal-text';
import { practiceFixture } from '@/testing/practice-fixture';
import { renderDocument } from './document';
import { readLegalFiles } from './legal-files';
import { OUR_PRACTICE, readGuideFile } from './practice-files';
import { renderPage } from './render-page';
import { fixedPaths } from './site';

const TEMPLATE = '<html><head><!--head--></head><body><!--body--></body></html>';
const LEGAL = readLegalFiles(OUR_PRACTICE);
const GUIDE = readGuideFile(OUR_PRACTICE);

/** The document that the build writes for a path. */
async function written(path: string): Promise<Document> {
  const snapshot = { ...practiceFixture(), guide: GUIDE, legal: LEGAL };
  const { match, documentName, html } = await renderPage(path, snapshot);
  const head = match.entry.head(snapshot, match.params);
  const parts = { head, snapshot, documentName, html, code: [], fonts: [] };
  return new DOMParser().parseFromString(renderDocument(TEMPLATE, parts), 'text/html');
}

function part(page: Document, selector: string): HTMLElement {
  const found = page.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`The document has no ${selector}.`);
  return found;
}

function headings(page: Document): string[] {
  const all = [...part(page, 'main').querySelectorAll('h2, h3')];
  return all.map(({ textContent }) => textContent);
}

function leadsTo(page: Document, label: string | RegExp): (string | null)[] {
  const links = within(part(page, 'main')).getAllByRole('link', { name: label });
  return links.map((link) => link.getAttribute('href'));
}

/** The footer's exact words, and its links. */
function expectFooter(footer: HTMLElement): void {
  for (const words of [
    'Transform your life through holistic mental and spiritual healing. Your journey to wellness starts here.',
    'Quick Links',
    'Healing Choices',
    'Mental Health Therapy',
    'Spiritual Healing',
    'Meditation Guidance',
    'Energy Healing',
    'Bhopal',
    'Tele-MANAS on 14416',
    '© 2024, all rights reserved',
  ]) {
    expect(footer.textContent).toContain(words);
  }
  const places = ['footerQuick', 'footerLegal', 'footerRules'] as const;
  for (const { label, to } of places.flatMap(linksAt)) {
    const link = within(footer).getByRole('link', { name: label });
    expect(link.getAttribute('href')).toBe(to);
  }
  expect(part(footer.ownerDocument, 'footer a[href^="tel:+91"]').textContent).toMatch(/^\+91/);
  expect(part(footer.ownerDocument, 'footer a[href^="mailto:"]').textContent).toContain('@');
}

/** Header, footer, Admin button and toast area, which every page has, and at most one heading. */
function expectFrame(page: Document): void {
  const start = within(part(page, 'header')).getByRole('link', { name: 'Sukoon, to the start' });
  expect(start.getAttribute('href')).toBe('/');
  expectFooter(part(page, 'footer'));
  expect(within(page.body).getByRole('button', { name: 'Admin' })).toBeTruthy();
  expect(part(page, '[data-testid="toasts"]')).toBeTruthy();
  expect(page.querySelectorAll('h1').length).toBeLessThanOrEqual(1);
}

const SERVICES = practiceFixture().services.map(({ serviceId }) => `/service/${serviceId}`);

/** Pages that bring a frame of their own, which is there with what they show. */
const BARE = PAGES.filter(({ bare }) => bare).map(({ path }) => path);
const FRAMED = fixedPaths().filter((path) => !BARE.includes(path));

test.each([...FRAMED, ...SERVICES, '/reviews/none', '/404'])(
  '%s has the frame of every page',
  async (path) => {
    expectFrame(await written(path));
  },
);

test('the document of the desk has nothing of the site around it', async () => {
  const page = await written('/desk');
  expect(page.querySelector('header, footer')).toBeNull();
  expect(part(page, '[data-testid="toasts"]')).toBeTruthy();
});

test.each([
  ['/', / · Sukoon$/, /90 seconds/],
  ['/about', /^About Us · Sukoon$/, /^The person who listens$/],
  ['/services', /^Services · Sukoon$/, /\S/],
  ['/service/karmic-healing', /^Karmic Healing · /, /^Karmic Healing$/],
  ['/services/meditation', /^Meditation & Mindfulness · /, /^Meditation & Mindfulness$/],
  ['/service/levitation', /^Service Not Found · /, /^Service Not Found$/],
  ['/book', /^Book a Session · /, /^Book a Session$/],
  ['/book-session', /^Book a Session · /, /^Book a Session$/],
  ['/cancellation-policy', /^Cancellation Policy · /, /^Cancellation Policy$/],
  ['/contact', /^Contact · /, /^Get in Touch$/],
  ['/reviews', /^Reviews · /, /\S/],
  ['/reviews/none', /^Review Not Found · /, /^Review Not Found$/],
  ['/faq', /^FAQ · /, /\S/],
  ['/meditation-guide', /^Meditation Guide · Sukoon$/, /^Ten Quiet Minutes$/],
  ['/404', /^Page Not Found · /, /^Oops! Page Not Found$/],
])('%s has its title and its one heading', async (path, title, heading) => {
  const page = await written(path);
  expect(page.title).toMatch(title);
  const found = [...page.querySelectorAll('h1')].map(({ textContent }) => textContent);
  expect(found).toEqual([expect.stringMatching(heading)]);
});

test('/: the quiz, the figures, and the ways to services and questions', async () => {
  const page = await written('/');
  const main = within(part(page, 'main'));
  expect(main.getAllByRole('button', { name: /quiz/i })).not.toHaveLength(0);
  for (const figure of ['200+', '15+', '4.9', '500+']) {
    expect(main.getAllByText(figure)).not.toHaveLength(0);
  }
  expect(headings(page)).toEqual(expect.arrayContaining(['Our Healing Services', 'Quick Answers']));
  expect(leadsTo(page, 'View All Services')).toContain('/services');
  expect(leadsTo(page, 'View All Questions')).toContain('/faq');
});

test('/about: the founder, the qualifications and the way to the services', async () => {
  const page = await written('/about');
  const main = part(page, 'main');
  const titles = [...main.querySelectorAll('h3')].map(({ textContent }) => textContent);
  expect(titles).toEqual(
    expect.arrayContaining(['Certified Healer', '15+ Years', '500+ Clients', 'Holistic Approach']),
  );
  expect(part(page, 'main blockquote').textContent).toMatch(/^“.+”$/);
  const story = within(main).getByRole('region', { name: /began/ });
  expect(story.querySelectorAll('p')).toHaveLength(6);
  expect(main.textContent).toContain('They are not medical treatment');
  expect(leadsTo(page, 'Find your session')).toEqual(['/services']);
});

test('/services: every service with its length and its price', async () => {
  const page = await written('/services');
  const cards = [...part(page, 'main').querySelectorAll('li')];
  for (const [title, duration, price] of [
    ['General Consultation', '45 minutes', '₹500'],
    ['Energy Healing', '45-60 minutes', '₹700'],
    ['Meditation & Mindfulness', '30-45 minutes', '₹750'],
    ['Vedic Astrology Solutions', '30 mins', '₹1,100'],
    ['Mental Health Therapy', '50-60 minutes', '₹1,500'],
    ['Relationship Counseling', '60-75 minutes', '₹2,000'],
    ['Karmic Healing', '60-90 minutes', '₹2,100'],
  ] as const) {
    const card = cards.find((one) => one.querySelector('h2, h3')?.textContent === title);
    expect(card?.textContent, title).toContain(duration);
    expect(card?.textContent, title).toContain(price);
    expect(card?.textContent, title).not.toContain('per session');
  }
});

test('/service/{serviceId} and /services/{serviceId}: a service in detail', async () => {
  const page = await written('/service/karmic-healing');
  expect(leadsTo(page, /Back to Services/)).toEqual(['/services']);
  expect(headings(page)).toEqual(
    expect.arrayContaining(['Healing Choices', 'Session details', 'Free times']),
  );
  for (const words of ['Duration', 'Investment', 'Important Service Notice']) {
    expect(within(part(page, 'main')).getAllByText(words)).not.toHaveLength(0);
  }
  const book = '/booking-flow?service=karmic-healing';
  expect(leadsTo(page, 'Book & Pay Now - ₹2,100')).toEqual([book]);
  const other = await written('/services/meditation');
  const bookOther = '/booking-flow?service=meditation';
  expect(leadsTo(other, 'Book & Pay Now - ₹750')).toEqual([bookOther]);
});

test('/book: how it works, what helps in a crisis, and whom to ask', async () => {
  const page = await written('/book');
  expect(headings(page)).toEqual(
    expect.arrayContaining([
      'Free times',
      'How It Works',
      'Payment Options',
      'Crisis Support',
      'Questions before you book?',
    ]),
  );
  expect(part(page, 'main').textContent).toMatch(/14416/);
  expect(leadsTo(page, 'Contact Us')).toEqual(['/contact']);
  const session = within(part(page, 'main')).getByLabelText('Session');
  expect(session.querySelectorAll('option')).toHaveLength(8);
});

test('/contact and /reviews: the form, what it asks for, and what else there is', async () => {
  const contact = within(part(await written('/contact'), 'main'));
  for (const label of ['Name', 'Email', 'Message']) {
    expect(contact.getByLabelText(label)).toBeTruthy();
  }
  expect(contact.getAllByText(/Bhopal/)).not.toHaveLength(0);
  const reviews = await written('/reviews');
  for (const figure of ['4.9/5', '200+', '98%']) {
    expect(part(reviews, 'main').textContent).toContain(figure);
  }
  for (const name of ['All Reviews', 'Verified', 'Recent']) {
    expect(within(part(reviews, 'main')).getByRole('radio', { name })).toBeTruthy();
  }
  expect(part(reviews, 'main a[href^="/services"]')).toBeTruthy();
});

test('/faq: all questions with their answers, the figures and the ways on', async () => {
  const page = await written('/faq');
  const main = part(page, 'main');
  for (const words of [
    /UPI, credit card, net banking or digital wallet/,
    /50-60 minutes/,
    /24 hours/,
    /online or in person/i,
    /3-4 sessions/,
    /15-minute/,
    /14416/,
  ]) {
    expect(main.textContent).toMatch(words);
  }
  const figures = within(main).getByRole('region', { name: /in figures/ });
  const terms = within(figures).getAllByRole('term');
  expect(terms.map(({ textContent }) => textContent)).toEqual([
    'Clients helped',
    'Satisfaction',
    'Years experience',
    'Confidential',
  ]);
});

test.each(LEGAL_NAMES)('/%s: its text, filled in, with the day of its change', async (name) => {
  const page = await written(`/${name}`);
  expect(page.title).toBe(`${LEGAL_PAGES[name].title} · Sukoon`);
  const main = part(page, 'main');
  expect(main.textContent).toMatch(/Last changed on \d+ \w+ 20\d\d/);
  expect(main.textContent).not.toMatch(/[{}[\]]/);
  expect(headings(page)).toEqual(
    expect.arrayContaining(LEGAL[name].sections.map(({ title }) => title)),
  );
  expect(leadsTo(page, /@/)[0]).toMatch(/^mailto:/);
  expect(main.querySelector('a[href^="/cancellation-policy"]')).not.toBeNull();
});

test('/meditation-guide: every step, and nothing for search engines', async () => {
  const page = await written('/meditation-guide');
  expect(part(page, 'meta[name="robots"]').getAttribute('content')).toBe('noindex');
  expect(part(page, 'main').querySelectorAll('ol > li')).toHaveLength(5);
  expect(headings(page)).toContain('Step 5: Return gently');
  for (const paragraph of GUIDE.steps.flatMap(({ paragraphs }) => paragraphs)) {
    expect(part(page, 'main').textContent).toContain(paragraph);
  }
});

test('what does not exist leads home and to the services', async () => {
  const page = await written('/404');
  expect(leadsTo(page, 'Return to Home')).toEqual(['/']);
  expect(leadsTo(page, 'See our services')).toEqual(['/services']);
  const missing = await written('/reviews/none');
  const words = "The review you're looking for doesn't exist or has been removed.";
  expect(part(missing, 'main').textContent).toContain(words);
});
