/** The questions in a real browser: its own details, the keyboard, and links to one of them. */
import type { Page } from '@playwright/test';
import { firstOf } from './support/lists';
import { expect, test } from './support/test';

function group(page: Page, title: string) {
  return page.locator('details', { has: page.getByRole('heading', { level: 2, name: title }) });
}

function question(page: Page, words: string) {
  return page.locator('details[data-question]', {
    has: page.getByRole('heading', { level: 3, name: words }),
  });
}

async function openAndClose(page: Page): Promise<void> {
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
  await firstOf(group(page, 'Booking & Practical Information').locator('summary')).click();
  await expect(pay).toBeHidden();
  await page.getByRole('button', { name: 'Expand all' }).click();
  await expect(page.locator('details:not([open])')).toHaveCount(0);
  await page.getByRole('button', { name: 'Collapse all' }).click();
  await expect(page.locator('details[open]')).toHaveCount(3);
}

test('questions open by themselves, by keyboard, and by a link to one of them', async ({
  page,
}) => {
  await page.goto('/faq');
  await test.step('several at once', () => openAndClose(page));

  await page.goto('/');
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
