/** Fourteen questions in three groups, and the ways to find one. */
import type { Page } from '@playwright/test';
import { look } from './support/look';
import { expect, test } from './support/test';

const GROUPS = [
  ['General Questions', 4],
  ['Booking & Practical Information', 5],
  ['Healing & Treatment Questions', 5],
] as const;

function group(page: Page, title: string) {
  return page.locator('details', { has: page.getByRole('heading', { level: 2, name: title }) });
}

function question(page: Page, words: string) {
  return page.locator('details[data-question]', {
    has: page.getByRole('heading', { level: 3, name: words }),
  });
}

test('/faq holds 4, 5 and 5 questions, its figures and its ways on @phone', async ({ page }) => {
  await page.goto('/faq');
  for (const [title, many] of GROUPS) {
    await expect(group(page, title)).toHaveAttribute('open');
    await expect(group(page, title).locator('details')).toHaveCount(many);
  }
  const figures = page.getByRole('region', { name: /in figures/ });
  await expect(figures.getByRole('definition')).toHaveText(['200+', '95%', '15+', '100%']);
  await expect(figures.getByRole('term')).toHaveText([
    'Clients helped',
    'Satisfaction',
    'Years experience',
    'Confidential',
  ]);
  const ways = page.getByRole('complementary', { name: "Can't find your answer?" });
  await expect(ways.getByRole('link', { name: 'See our services' })).toHaveAttribute(
    'href',
    '/services',
  );
  await look(page, 'faq');
  await ways.getByRole('link', { name: 'Contact us' }).click();
  await expect(page).toHaveURL(/\/contact$/);
});

test('questions open and close by themselves, several at once, by keyboard too', async ({
  page,
}) => {
  await page.goto('/faq');
  const pay = question(page, 'How can I pay?');
  const length = question(page, 'How long does a session last?');
  await pay.locator('summary').click();
  await length.locator('summary').focus();
  await page.keyboard.press('Enter');
  await expect(pay.getByText(/UPI, credit card, net banking or digital wallet/)).toBeVisible();
  await expect(length.getByText(/50-60 minutes/)).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(length.getByText(/50-60 minutes/)).toBeHidden();
  await expect(pay.getByText(/UPI/)).toBeVisible();

  // A group closes over its questions.
  await group(page, 'Booking & Practical Information').locator('summary').first().click();
  await expect(pay).toBeHidden();
  await page.getByRole('button', { name: 'Expand all' }).click();
  await expect(page.locator('details:not([open])')).toHaveCount(0);
  for (const words of [/24 hours/, /online or in person/i, /3-4 sessions/, /15-minute/]) {
    await expect(page.getByRole('main').getByText(words).first()).toBeVisible();
  }
  await look(page, 'faq-open');
  await page.getByRole('button', { name: 'Collapse all' }).click();
  await expect(page.locator('details[open]')).toHaveCount(3);
});

test('a link to a question opens it, on the first paint and later', async ({ page }) => {
  await page.goto('/faq#how-can-i-pay');
  const pay = question(page, 'How can I pay?');
  await expect(pay.locator('summary')).toBeFocused();
  await expect(pay.getByText(/UPI/)).toBeInViewport();
  await expect(page.locator('details[data-question][open]')).toHaveCount(1);

  await pay.locator('summary').click();
  await expect(pay.getByText(/UPI/)).toBeHidden();
  await page.evaluate(() => {
    window.location.hash = 'what-should-i-do-in-a-crisis';
  });
  const crisis = question(page, 'What should I do in a crisis?');
  await expect(crisis.getByText(/14416/)).toBeVisible();
  await expect(crisis.locator('summary')).toBeFocused();

  // Its own link leads to it as well, and the address is worth keeping.
  await crisis.getByRole('link', { name: 'Link to this answer' }).click();
  await expect(crisis.locator('summary')).toBeFocused();
  await expect(page).toHaveURL(/#what-should-i-do-in-a-crisis$/);
});

test('answers can be read before any script runs', async ({ browser, practice }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: practice.url });
  const page = await context.newPage();
  await page.goto('/faq');
  const pay = question(page, 'How can I pay?');
  await pay.locator('summary').click();
  await expect(pay.getByText(/UPI/)).toBeVisible();
  await context.close();
});
