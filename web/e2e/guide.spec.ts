/**
 * The meditation guide: on paper, and by mail. Reading, the timer and the form are in
 * src/features/guide/components/guide-page.test.tsx and guide-form.test.tsx.
 */
import type { Page } from '@playwright/test';
import { fitsTheWidth } from './support/look';
import { newPerson } from './support/people';
import type { Mail } from './support/sandbox';
import { expect, expectToast, test } from './support/test';

const field = (page: Page) => page.getByLabel('Email');
const send = (page: Page) => page.getByRole('main').getByRole('button', { name: /^Send/ });

/** What the page says in its steps: every title and every paragraph. */
async function wordsOf(page: Page): Promise<string[]> {
  const items = page.getByRole('main').locator('ol > li');
  const titles = await items.locator('h3').allTextContents();
  const texts = await items.locator('p').allTextContents();
  return [...titles.map((title) => title.replace(/^Step \d+: /, '')), ...texts];
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').toLowerCase();
}

function expectWhole({ text, html }: Mail, words: string[]): void {
  const plain = onOneLine(text);
  for (const word of words) expect(plain).toContain(onOneLine(word));
  expect(html).toContain('<');
}

test('the guide is read, asked for, and arrives whole', async ({ page, sandbox }) => {
  // A page that was led to reads the guide itself.
  await page.goto('/faq');
  await page.getByRole('link', { name: 'Our 5-step meditation guide' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ten Quiet Minutes');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(page).toHaveTitle('Meditation Guide · Sukoon');
  await expect(page.getByRole('main').locator('ol > li')).toHaveCount(5);
  const words = await wordsOf(page);
  expect(words.length).toBeGreaterThan(15);

  const { email } = newPerson('Asha');
  await field(page).fill(email);
  await send(page).click();
  await expectToast(page, 'Success!');
  await expect(field(page)).toHaveValue('');
  expectWhole(await sandbox.mail(email, /./), words);
  expect(await sandbox.inbox(email)).toHaveLength(1);
});

test('the guide fits the narrowest screen, and alone on two sheets of paper', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.addInitScript(() => localStorage.setItem('theme', 'dark'));
  await page.goto('/meditation-guide');
  await fitsTheWidth(page);
  await page.getByRole('button', { name: 'Start 10 minutes' }).click();
  await expect(page.getByRole('timer')).toBeVisible();
  await fitsTheWidth(page);

  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto('/meditation-guide');
  await page.emulateMedia({ media: 'print' });
  for (const role of ['banner', 'contentinfo', 'form', 'navigation'] as const) {
    await expect(page.getByRole(role)).toHaveCount(0);
  }
  await expect(page.getByRole('button')).toHaveCount(0);
  await expect(page.getByRole('main').locator('ol > li:visible')).toHaveCount(5);
  await expect(page.getByText('Sukoon · Meditation guide')).toBeVisible();
  await expect(page.getByRole('main').getByText(/Tele-MANAS/)).toBeVisible();
  const colours = await page.evaluate(() => {
    const { backgroundColor, color } = getComputedStyle(document.body);
    return [backgroundColor, color];
  });
  expect(colours).toEqual(['rgb(255, 255, 255)', 'rgb(34, 48, 43)']);
  const paper = await page.pdf({ preferCSSPageSize: true });
  expect(paper.toString('latin1')).toMatch(/\/Count 2\b/);
  expect(paper.toString('latin1')).toMatch(/\/MediaBox \[0 0 59[45]\S* 84[12]\S*\]/);
});
