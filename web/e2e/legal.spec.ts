/**
 * Privacy, terms and refunds in a browser: the ways to them and back, and on paper. Their words are
 * in src/prerender/written-pages.test.tsx and src/app/legal-pages.test.tsx.
 */
import type { Page } from '@playwright/test';
import { LEGAL_PAGES } from '../src/features/legal/legal-pages';
import { LEGAL_NAMES } from '../src/lib/legal-text';
import { pathOf } from './support/pages';
import { expect, test } from './support/test';

async function expectPage(page: Page, path: string, title: string): Promise<void> {
  await expect(page).toHaveURL(new RegExp(`${path}$`));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
  await expect(page.getByRole('main')).toContainText('Last changed');
}

test('the foot leads to each, their parts are listed, and printed they stand alone', async ({
  page,
}) => {
  await page.goto('/faq');
  const foot = page.getByRole('contentinfo');
  const rules = foot.getByRole('navigation', { name: 'Privacy and terms' });
  for (const name of LEGAL_NAMES) {
    const { label, title } = LEGAL_PAGES[name];
    await rules.getByRole('link', { name: label, exact: true }).click();
    await expectPage(page, pathOf(name), title);
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
  }
  await rules.getByRole('link', { name: 'Cancellation policy' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Cancellation Policy');
  await page.goBack();
  await expectPage(page, '/refunds', 'Refund Policy');

  await test.step('on a wide screen the parts are listed beside the text', async () => {
    await page.goto('/privacy');
    const contents = page.getByRole('navigation', { name: 'On this page' });
    await contents.getByRole('link', { name: 'Your rights' }).click();
    await expect(page).toHaveURL(/:\d+\/privacy#your-rights$/);
    await expect(page.getByRole('heading', { name: 'Your rights' })).toBeInViewport();
  });

  await test.step('printed, a text stands on the paper alone', async () => {
    await page.goto('/terms');
    await page.emulateMedia({ media: 'print' });
    const main = page.getByRole('main');
    await expect(main.getByRole('heading', { name: 'Cancelling' })).toBeVisible();
    await expect(main.getByText(/ · hello@/)).toBeVisible();
    await expect(page.getByRole('banner')).toBeHidden();
    await expect(foot).toBeHidden();
    await expect(page.getByRole('navigation', { name: 'On this page' })).toBeHidden();
  });
});
