/**
 * The quiz of the home page by keyboard, by the browser's Back and on the narrowest screens. Its
 * steps, its clock and what it recommends are tested in `src/features/quiz`.
 */
import type { Locator, Page } from '@playwright/test';
import { walkTo } from './support/keyboard';
import { fitsTheWidth } from './support/look';
import { expect, test } from './support/test';

const opener = (page: Page) => page.getByRole('button', { name: /quiz/i });
const quiz = (page: Page) => page.getByRole('dialog', { name: /quiz/ });
const heading = (page: Page) => quiz(page).getByRole('heading', { level: 3 });
const start = (page: Page) => quiz(page).getByRole('button', { name: 'Start Your Assessment' });

function area(page: Page, title: string): Locator {
  return quiz(page).getByRole('button', { name: new RegExp(`^Select This Area.*${title}`) });
}

test('everything can be done with the keyboard, and Back leads to the results', async ({
  page,
}) => {
  await page.goto('/');
  await walkTo(page, opener(page));
  await page.keyboard.press('Enter');
  await expect(heading(page)).toBeFocused();
  await walkTo(page, start(page));
  await page.keyboard.press('Enter');
  await expect(heading(page)).toBeFocused();
  await walkTo(page, area(page, 'Vedic Astrology & Life Path'));
  await page.keyboard.press('Space');
  await expect(heading(page)).toContainText('Where you could begin');
  await expect(heading(page)).toBeFocused();

  await walkTo(page, quiz(page).getByRole('button', { name: 'Back' }));
  await page.keyboard.press('Enter');
  await expect(heading(page)).toContainText('What would you like to look at first?');
  await expect(heading(page)).toBeFocused();
  await walkTo(page, area(page, 'General Mental Wellness'));
  await page.keyboard.press('Enter');
  await walkTo(page, quiz(page).getByRole('button', { name: 'Take Quiz Again' }));
  await page.keyboard.press('Enter');
  await expect(heading(page)).toBeFocused();
  await expect(start(page)).toBeVisible();

  await page.keyboard.press('Escape');
  await expect(quiz(page)).toBeHidden();
  await expect(page).toHaveURL(/:\d+\/$/);
  await expect(opener(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\?quiz$/);
  await walkTo(page, start(page));
  await page.keyboard.press('Enter');
  await walkTo(page, area(page, 'General Mental Wellness'));
  await page.keyboard.press('Enter');
  await walkTo(page, quiz(page).getByRole('link', { name: /^Learn More.*Mental Health Therapy/ }));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/:\d+\/services\/mental-health$/);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(quiz(page)).toHaveCount(0);

  await test.step('Back leads to the results, and then closes the quiz', async () => {
    await page.goBack();
    // The area is in no address.
    await expect(page).toHaveURL(/:\d+\/\?quiz$/);
    await expect(quiz(page).getByText('Recommended', { exact: true })).toBeVisible();
    await page.goBack();
    await expect(quiz(page)).toBeHidden();
    await expect(page).toHaveURL(/:\d+\/$/);
  });
});

test.describe('the narrowest screens', () => {
  test.use({ viewport: { width: 320, height: 640 } });

  test('scroll in one direction only', async ({ page }) => {
    await page.goto('/');
    await opener(page).click();
    await expect(start(page)).toBeVisible();
    await fitsTheWidth(page);
    await start(page).click();
    await expect(area(page, 'General Mental Wellness')).toBeVisible();
    await fitsTheWidth(page);
    await area(page, 'General Mental Wellness').click();
    await expect(quiz(page).getByText('Recommended', { exact: true })).toBeVisible();
    await fitsTheWidth(page);
    const inside = await quiz(page).evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth);
    expect(inside, 'nor does the quiz').toBeLessThanOrEqual(0);
  });
});
