/**
 * The table of routes: one test per route, named after it, on desktop and phone. Each page is tested
 * in depth by a file of its own.
 */
import type { Locator, Page } from '@playwright/test';
import { RPC, standIn } from './support/answers';
import { setServerClock } from './support/device';
import { QUICK_LINKS, RULES } from './support/pages';
import { newPerson } from './support/people';
import { writeReview } from './support/rpc';
import { expect, test } from './support/test';
import { refusal } from './support/watch';
import { dayOf } from './support/written';

type Opened = { title: RegExp; heading: string | RegExp; status?: number };

const main = (page: Page) => page.getByRole('main');

/** The footer's exact words, and its links. */
async function expectFooter(footer: Locator): Promise<void> {
  const said = [
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
  ];
  for (const words of said) await expect(footer).toContainText(words);
  for (const { label, to } of [...QUICK_LINKS, ...RULES]) {
    const link = footer.getByRole('link', { name: label, exact: true });
    await expect(link).toHaveAttribute('href', to);
  }
  await expect(footer.locator('a[href^="tel:+91"]')).toHaveText(/^\+91/);
  await expect(footer.locator('a[href^="mailto:"]')).toHaveText(/@/);
}

/** Header, footer, Admin button and toast area, which every page has. */
async function expectFrame(page: Page): Promise<void> {
  await expect(page.getByRole('banner')).toBeVisible();
  const start = page.getByRole('banner').getByRole('link', { name: 'Sukoon, to the start' });
  await expect(start).toBeVisible();
  await expectFooter(page.getByRole('contentinfo'));
  await expect(page.getByRole('button', { name: 'Admin', exact: true })).toBeVisible();
  await expect(page.getByTestId('toasts')).toBeAttached();
}

/** Opens a route: its status, its title, its one heading, its frame, and the top of it. */
async function open(page: Page, path: string, opened: Opened): Promise<void> {
  const { title, heading, status = 200 } = opened;
  const answer = await page.goto(path);
  expect(answer?.status()).toBe(status);
  const headings = page.getByRole('heading', { level: 1 });
  await expect(headings).toHaveCount(1);
  await expect(headings).toHaveText(heading);
  await expect(page).toHaveTitle(title);
  await expectFrame(page);
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
}

async function expectHeadings(page: Page, names: readonly (string | RegExp)[]): Promise<void> {
  for (const name of names) {
    await expect(main(page).getByRole('heading', { name }).first()).toBeVisible();
  }
}

async function expectLink(page: Page, name: string | RegExp, path: string): Promise<void> {
  const link = main(page).getByRole('link', { name }).filter({ visible: true }).first();
  await expect(link).toHaveAttribute('href', path);
}

/** A link in the footer opens its page at the top. */
async function arriveFromFoot(page: Page, name: string, heading: string | RegExp): Promise<void> {
  await page.getByRole('contentinfo').getByRole('link', { name, exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
}

test('/: home @phone', async ({ page }) => {
  // Without reviews the practice's own figures are shown.
  await standIn(page, RPC.statistics, {});
  await open(page, '/', { title: / · Sukoon$/, heading: /90 seconds/ });
  await expect(main(page).getByRole('button', { name: /quiz/i })).toBeVisible();
  for (const figure of ['200+', '15+', '4.9', '500+']) {
    await expect(main(page).getByText(figure).first()).toBeVisible();
  }
  await expectHeadings(page, ['Our Healing Services', 'Quick Answers']);
  await expectLink(page, 'View All Services', '/services');
  await expectLink(page, 'View All Questions', '/faq');
});

test('/about: founder story and qualifications @phone', async ({ page }) => {
  await open(page, '/about', { title: /^About Us · /, heading: /\S/ });
  for (const words of ['Certified Healer', '15+', '500+', 'Holistic Approach']) {
    await expect(main(page).getByText(words).first()).toBeVisible();
  }
  await expect(main(page).locator('blockquote').first()).toBeVisible();
  const link = main(page).locator('a[href="/services"]').first();
  await expect(link).toBeVisible();
});

test('/services: service catalogue @phone', async ({ page }) => {
  await open(page, '/services', { title: /^Services · /, heading: /\S/ });
  const cards = [
    ['General Consultation', '45 minutes', '₹500'],
    ['Energy Healing', '45-60 minutes', '₹700'],
    ['Meditation & Mindfulness', '30-45 minutes', '₹750'],
    ['Vedic Astrology Solutions', '30 mins', '₹1,100'],
    ['Mental Health Therapy', '50-60 minutes', '₹1,500'],
    ['Relationship Counseling', '60-75 minutes', '₹2,000'],
    ['Karmic Healing', '60-90 minutes', '₹2,100'],
  ] as const;
  for (const [title, duration, price] of cards) {
    const heading = page.getByRole('heading', { name: title });
    const card = main(page).getByRole('listitem').filter({ has: heading });
    await expect(card).toContainText(duration);
    await expect(card).toContainText(price);
    await expect(card).not.toContainText('per session');
  }
  await page.getByRole('button', { name: 'Karmic Healing' }).click();
  const dialog = page.getByRole('dialog', { name: 'Karmic Healing' });
  await expect(dialog.getByText('Akashic Records Reading')).toBeVisible();
  await expect(dialog.getByText('Past Life Healing')).toBeVisible();
  await expect(dialog.getByText('Important')).toBeVisible();
  await expect(dialog.getByRole('link', { name: 'View Full Details' })).toBeVisible();
  await expect(dialog.getByRole('link', { name: 'Book Session' })).toBeVisible();
});

test('/service/{serviceId}: service detail @phone', async ({ page }) => {
  await open(page, '/service/karmic-healing', {
    title: /^Karmic Healing · /,
    heading: 'Karmic Healing',
  });
  await expectLink(page, 'Back to Services', '/services');
  await expectHeadings(page, ['Healing Choices', 'Session details', 'Free times']);
  for (const word of ['Duration', 'Investment', 'Important Service Notice']) {
    await expect(main(page).getByText(word, { exact: true }).first()).toBeVisible();
  }
  const book = '/booking-flow?service=karmic-healing';
  await expectLink(page, 'Book & Pay Now - ₹2,100', book);
  await expect(main(page).getByText('All times are in IST')).toBeVisible();
});

test('/services/{id}: also a service detail path @phone', async ({ page }) => {
  await open(page, '/services/meditation', {
    title: /^Meditation & Mindfulness · /,
    heading: 'Meditation & Mindfulness',
  });
  await expectHeadings(page, ['Healing Choices']);
  await expectLink(page, 'Book & Pay Now - ₹750', '/booking-flow?service=meditation');
  const canonical = page.locator('link[rel="canonical"]');
  await expect(canonical).toHaveAttribute('href', /\/service\/meditation$/);
});

test('/booking-flow: five-step booking and payment flow @phone', async ({ page, complaints }) => {
  // A page that knows no such service asks whether there is a newer one.
  complaints.expect(refusal('/rpc/catalogue.v1.CatalogueService/GetService'));
  await open(page, '/booking-flow?service=meditation', {
    title: /^Book Your Session · /,
    heading: 'Sign In Required',
  });
  const steps = [
    'Sign In',
    'Schedule & Terms',
    'Payment',
    'Payment Verification',
    'Final Confirmation',
  ];
  const indicator = main(page).getByRole('navigation', { name: 'Booking steps' });
  await expect(indicator.getByRole('listitem')).toHaveCount(steps.length);
  for (const [index, step] of steps.entries()) {
    await expect(indicator.getByRole('listitem').nth(index)).toContainText(step);
  }
  await expect(main(page).getByRole('link', { name: 'Create New Account' })).toBeVisible();
  await page.goto('/booking-flow?service=levitation');
  await expect(page).toHaveURL(/\/services$/);
});

test('/book: sessions and free times, and what follows from a choice @phone', async ({ page }) => {
  await open(page, '/book?service=energy-healing', {
    title: /^Book a Session · /,
    heading: 'Book a Session',
  });
  const sections = [
    'Free times',
    'How It Works',
    'Payment Options',
    'Crisis Support',
    'Questions before you book?',
  ];
  await expectHeadings(page, sections);
  await expect(main(page).getByLabel('Session', { exact: true })).toHaveValue('energy-healing');
  await expect(main(page).getByText(/14416/)).toBeVisible();
  await expectLink(page, 'Contact Us', '/contact');
  await expect(main(page).getByText(/^All times are in IST/)).toBeVisible();
  const canonical = page.locator('link[rel="canonical"]');
  await expect(canonical).toHaveAttribute('href', /\/book$/);
});

test('/book-session: free times and the gate behind them @phone', async ({ page }) => {
  await open(page, '/book-session', { title: /^Book a Session · /, heading: 'Book a Session' });
  await expect(main(page).getByText(/^All times are in IST/)).toBeVisible();
  await open(page, '/book-session?auth=cancelled', {
    title: /^Book a Session · /,
    heading: 'Book a Session',
  });
  await expect(main(page).getByText('You left the sign-in')).toBeVisible();
});

test('/cancellation-policy: policy with countdown @phone', async ({ page }) => {
  const now = new Date('2026-11-21T06:00:00Z');
  await setServerClock(page, now);
  // The page's time stands still, however long the first look at it takes.
  await page.clock.install({ time: now });
  await page.clock.pauseAt(new Date(now.getTime() + 1_000));
  const booked = '2026-11-20T18:00:30Z';
  await open(page, `/cancellation-policy?bookingTime=${booked}&service=meditation`, {
    title: /^Cancellation Policy · /,
    heading: 'Cancellation Policy',
  });
  await expect(page.getByRole('timer')).toContainText(/12:00:[23]\d/);
  await page.clock.fastForward('12:00:31');
  await expect(main(page).getByText('24-hour cancellation window has expired')).toBeVisible();
  await expect(
    main(page)
      .getByText(/9:00 AM to 6:00 PM/)
      .first(),
  ).toBeVisible();
});

test('/contact: contact form and info @phone', async ({ page }) => {
  await open(page, '/contact', { title: /^Contact · /, heading: 'Get in Touch' });
  for (const label of ['Name', 'Email', 'Message']) {
    await expect(main(page).getByLabel(label, { exact: true })).toBeVisible();
  }
  await expect(main(page).getByRole('link', { name: /WhatsApp/ })).toBeVisible();
  await expect(
    main(page)
      .getByText(/Bhopal/)
      .first(),
  ).toBeVisible();
});

test('/reviews: reviews hub @phone', async ({ page }) => {
  await standIn(page, RPC.statistics, {});
  await open(page, '/reviews', { title: /^Reviews · /, heading: /\S/ });
  for (const figure of ['4.9', '200+', '98%']) {
    await expect(main(page).getByText(figure).first()).toBeVisible();
  }
  for (const filter of ['All Reviews', 'Verified', 'Recent']) {
    await expect(main(page).getByRole('radio', { name: filter, exact: true })).toBeAttached();
  }
  await expect(main(page).getByRole('button', { name: 'Publish Review' })).toBeVisible();
  await expect(main(page).locator('a[href^="/services"]').last()).toBeVisible();
});

test('/reviews/{reviewId}: full review @phone', async ({ page, practice, complaints }) => {
  const person = newPerson('Rukmini');
  const words = `${'It went as I had hoped. '.repeat(8)}Every word of this can be read.`;
  const writtenAt = new Date();
  const { reviewId } = await writeReview(practice.url, person, words);
  await open(page, `/reviews/${reviewId}`, {
    title: /^Rukmini Verma on Energy Healing · /,
    heading: /Rukmini Verma/,
  });
  await expect(main(page).getByText('Every word of this can be read.')).toBeVisible();
  await expect(main(page).getByText('Recent Review')).toBeVisible();
  await expect(main(page).getByText(dayOf(writtenAt))).toBeVisible();
  await expectLink(page, 'Back to Reviews', '/reviews');

  complaints.expect(refusal('/reviews/none'));
  await open(page, '/reviews/none', {
    title: /^Review Not Found · /,
    heading: 'Review Not Found',
    status: 404,
  });
  const missing = "The review you're looking for doesn't exist or has been removed.";
  await expect(main(page).getByText(missing)).toBeVisible();
});

test('/faq: FAQ @phone', async ({ page }) => {
  await open(page, '/faq', { title: /^FAQ · /, heading: /\S/ });
  const groups = {
    'General Questions': 4,
    'Booking & Practical Information': 5,
    'Healing & Treatment Questions': 5,
  };
  await expectHeadings(page, Object.keys(groups));
  for (const [name, count] of Object.entries(groups)) {
    const heading = page.getByRole('heading', { name });
    const group = main(page).locator('details').filter({ has: heading });
    await expect(group.locator('details')).toHaveCount(count);
  }
  for (const figure of ['200+', '95%', '15+', '100%']) {
    await expect(main(page).getByText(figure).first()).toBeVisible();
  }
  await expect(main(page).locator('a[href="/contact"]').first()).toBeVisible();
  await expect(main(page).locator('a[href="/services"]').first()).toBeVisible();
  await arriveFromFoot(page, 'Services', /\S/);
  await arriveFromFoot(page, 'Home', /90 seconds/);
});

test('any other path: 404 page @phone', async ({ page, complaints }) => {
  complaints.expect(refusal('/no/such/path'));
  const noted: string[] = [];
  page.on('console', (message) => noted.push(message.text()));
  await open(page, '/no/such/path', {
    title: /^Page Not Found · /,
    heading: 'Oops! Page Not Found',
    status: 404,
  });
  await expect(main(page).locator('a[href="/"]')).toBeVisible();
  await expect(main(page).locator('a[href="/services"]')).toBeVisible();
  await expect.poll(() => noted).toContain('No page at /no/such/path');
});
