/** The quiz of the home page, by pointer and by keyboard alone, with a clock that the test moves. */
import type { Locator, Page } from '@playwright/test';
import { fitsTheWidth, look } from './support/look';
import { expect, test } from './support/test';

const NOON = new Date('2026-11-21T12:00:00+05:30');
const TABS_MAX = 80;

const opener = (page: Page) => page.getByRole('button', { name: /quiz/i });
const quiz = (page: Page) => page.getByRole('dialog', { name: /quiz/ });
const heading = (page: Page) => quiz(page).getByRole('heading', { level: 3 });
const timer = (page: Page) => quiz(page).getByRole('timer');
const start = (page: Page) => quiz(page).getByRole('button', { name: 'Start Your Assessment' });

function area(page: Page, title: string): Locator {
  return quiz(page).getByRole('button', { name: new RegExp(`^Select This Area.*${title}`) });
}

/** With a clock that only the test moves. */
async function openAtRest(page: Page): Promise<void> {
  await page.clock.install({ time: NOON });
  await page.clock.pauseAt(new Date(NOON.getTime() + 1000));
  await page.goto('/');
  await opener(page).click();
  await expect(start(page)).toBeVisible();
}

/** Walks with the Tab key until the element has the focus. */
async function walkTo(page: Page, target: Locator): Promise<void> {
  for (let step = 0; step < TABS_MAX; step += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('The Tab key does not reach it.');
}

test('the quiz leads from the welcome over an area to services @phone', async ({ page }) => {
  await page.goto('/');
  await opener(page).click();
  await expect(quiz(page).getByRole('listitem')).toHaveText([
    '500+ Helped',
    '15+ Years',
    '95% Success',
    'Holistic',
  ]);
  await expect(heading(page)).toBeFocused();
  await look(page, 'quiz-welcome');

  await start(page).click();
  await expect(quiz(page).getByRole('button', { name: /^Select This Area/ })).toHaveCount(4);
  await expect(heading(page)).toBeFocused();
  await fitsTheWidth(page);
  await look(page, 'quiz-selection');

  await area(page, 'Energy & Spiritual Healing').click();
  await expect(heading(page)).toBeFocused();
  const results = quiz(page).getByRole('listitem');
  await expect(results).toHaveCount(3);
  await expect(results.getByRole('heading')).toHaveText([
    'Energy Healing',
    'Karmic Healing',
    'Meditation & Mindfulness',
  ]);
  await expect(quiz(page).getByText('Recommended', { exact: true })).toHaveCount(1);
  await expect(results.first()).toContainText('Recommended');
  await expect(results.first()).toContainText('45-60 minutes');
  await expect(results.first()).toContainText('₹700');
  await expect(quiz(page).getByText('per session')).toHaveCount(0);
  await look(page, 'quiz-results');

  await results
    .nth(1)
    .getByRole('link', { name: /^Learn More/ })
    .click();
  await expect(page).toHaveURL(/\/services\/karmic-healing$/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Karmic Healing');
  await expect(quiz(page)).toHaveCount(0);
});

const MAPPING = [
  ['Vedic Astrology & Life Path', 'vedic-astrology', 'general-consultation'],
  ['Relationship & Connection', 'relationship-counseling', 'general-consultation'],
  ['Energy & Spiritual Healing', 'energy-healing', 'karmic-healing', 'meditation'],
  ['General Mental Wellness', 'mental-health', 'general-consultation', 'meditation'],
] as const;

test('each area recommends its services, and booking begins with the one chosen', async ({
  page,
}) => {
  await page.goto('/');
  await opener(page).click();
  for (const [title, ...ids] of MAPPING) {
    await start(page).click();
    await area(page, title).click();
    const hrefsOf = (name: RegExp) =>
      quiz(page)
        .getByRole('link', { name })
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    expect(await hrefsOf(/^Learn More/)).toEqual(ids.map((id) => `/services/${id}`));
    expect(await hrefsOf(/^Book Now/)).toEqual(ids.map((id) => `/book?service=${id}`));
    expect(await hrefsOf(/^Book Your First Session$/)).toEqual([`/book?service=${ids[0]}`]);
    await quiz(page).getByRole('button', { name: 'Take Quiz Again' }).click();
    await expect(start(page)).toBeVisible();
  }
  await start(page).click();
  await area(page, 'General Mental Wellness').click();
  await quiz(page).getByRole('link', { name: 'Book Your First Session' }).click();
  await expect(page).toHaveURL(/\/book\?service=mental-health$/);
});

test('the clock goes from 1:30 to 0:00, rests there, and begins anew', async ({ page }) => {
  await openAtRest(page);
  await page.clock.runFor(5_000);
  await expect(timer(page)).toContainText('1:30');
  await start(page).click();
  await expect(timer(page)).toContainText('1:30');
  await page.clock.runFor(1_000);
  await expect(timer(page)).toContainText('1:29');
  await expect(timer(page)).toContainText('1 minute 29 seconds left');
  await area(page, 'Relationship & Connection').click();
  await page.clock.runFor(29_000);
  await expect(timer(page)).toContainText('1:00');
  await page.clock.fastForward(60_000);
  await expect(timer(page)).toContainText('0:00');
  await expect(quiz(page).getByText('Take your time')).toBeVisible();
  await page.clock.runFor(30_000);
  await expect(timer(page)).toContainText('0:00');
  await expect(quiz(page).getByRole('link', { name: 'Book Your First Session' })).toBeVisible();

  await quiz(page).getByRole('button', { name: 'Take Quiz Again' }).click();
  await expect(timer(page)).toContainText('1:30');
  await start(page).click();
  await page.clock.runFor(2_000);
  await expect(timer(page)).toContainText('1:28');

  await page.clock.fastForward(90_000);
  await expect(quiz(page).getByText('Take your time')).toBeVisible();
  await page.clock.resume();
  await look(page, 'quiz-clock-over');
});

test('everything can be done with the keyboard', async ({ page }) => {
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
  await expect(page).toHaveURL(/\/$/);
  await expect(opener(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\?quiz$/);
  await walkTo(page, start(page));
  await page.keyboard.press('Enter');
  await walkTo(page, area(page, 'General Mental Wellness'));
  await page.keyboard.press('Enter');
  await walkTo(page, quiz(page).getByRole('link', { name: /^Learn More.*Mental Health Therapy/ }));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/services\/mental-health$/);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
});

test('Back closes the quiz, and leads to its results from a page that it led to @phone', async ({
  page,
}) => {
  await page.goto('/');
  await opener(page).click();
  await expect(page).toHaveURL(/\?quiz$/);
  await start(page).click();
  await area(page, 'General Mental Wellness').click();
  await quiz(page)
    .getByRole('link', { name: /^Learn More.*Mental Health Therapy/ })
    .click();
  await expect(page).toHaveURL(/\/services\/mental-health$/);
  await page.goBack();
  // The area is in no address.
  await expect(page).toHaveURL(/\/\?quiz$/);
  await expect(quiz(page).getByText('Recommended', { exact: true })).toBeVisible();
  await page.goBack();
  await expect(quiz(page)).toBeHidden();
  await expect(page).toHaveURL(/\/$/);
});

test('it closes in each of three ways, and begins at the welcome again', async ({ page }) => {
  await page.goto('/');
  const ways = [
    () => quiz(page).getByRole('button', { name: 'Close' }).click(),
    () => page.keyboard.press('Escape'),
    () => page.mouse.click(4, 4),
  ];
  for (const close of ways) {
    await opener(page).click();
    await start(page).click();
    await area(page, 'Energy & Spiritual Healing').click();
    await expect(quiz(page).getByText('Recommended', { exact: true })).toBeVisible();
    await close();
    await expect(quiz(page)).toBeHidden();
    await opener(page).click();
    await expect(start(page)).toBeVisible();
    await expect(timer(page)).toContainText('1:30');
    await page.keyboard.press('Escape');
    await expect(quiz(page)).toBeHidden();
  }
});

test.describe('the narrowest screens', () => {
  test.use({ viewport: { width: 320, height: 640 } });

  test('scroll in one direction only', async ({ page }) => {
    await page.goto('/');
    await opener(page).click();
    await fitsTheWidth(page);
    await start(page).click();
    await fitsTheWidth(page);
    await area(page, 'General Mental Wellness').click();
    await fitsTheWidth(page);
    const inside = await quiz(page).evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth);
    expect(inside, 'nor does the quiz').toBeLessThanOrEqual(0);
  });
});
