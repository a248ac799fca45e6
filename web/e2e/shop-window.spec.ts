/**
 * What a first visit shows: what this is, what it costs and when there is time, the way to a
 * session on every page, figures that are true, and text of any size.
 */
import type { Locator, Page } from '@playwright/test';
import { expectTrouble, RPC, standIn } from './support/answers';
import { CALENDAR, expectReady, expectStep } from './support/flow';
import { fitsTheWidth, look } from './support/look';
import { LEGAL_PATHS, PATHS, pathOf } from './support/pages';
import { newPerson, signUpQuietly } from './support/people';
import { holdTime, writeReview } from './support/rpc';
import { expect, test } from './support/test';
import { refusal } from './support/watch';

const GENERAL = '/service/general-consultation';
const FLOW = '/booking-flow?service=general-consultation';
/** All pages but the legal texts and the one that confirms an address. */
const PAGES = [
  ...PATHS.filter((path) => !LEGAL_PATHS.includes(path) && path !== pathOf('confirm')),
  ...['/service/relationship-counseling', FLOW],
];

declare global {
  interface Window {
    /** How much moved since the document began. */
    moved?: number;
  }
}

function nextFree(page: Page): Locator {
  return page.getByRole('main').getByRole('link', { name: /^Next: / });
}

test('the first screen says what this is, its price and the next free time @phone', async ({
  page,
}) => {
  await page.goto('/');
  await expect(nextFree(page)).toBeVisible();
  const whole = { ratio: 1 };
  await expect(page.getByText('Counselling and healing in Bhopal, and online')).toBeInViewport(
    whole,
  );
  await expect(page.getByText('Sessions from ₹500 · 30–90 min')).toBeInViewport(whole);
  await expect(nextFree(page)).toBeInViewport(whole);
  await expect(nextFree(page)).toContainText(/\d{1,2}:\d\d [ap]m IST/);
  await expect(nextFree(page)).toContainText('General Consultation, 45 min, ₹500');
  await expect(page.getByRole('button', { name: /quiz/i })).toBeInViewport(whole);
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  await look(page, 'first-screen');
});

test('the next free time moves nothing when it comes @phone', async ({ page }) => {
  await page.addInitScript(() => {
    window.moved = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        window.moved = (window.moved ?? 0) + (entry as PerformanceEntry & { value: number }).value;
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  const desk = await standIn(page, RPC.listSlots, 'wait');
  await page.goto('/');
  const waiting = page.getByRole('main').getByRole('link', { name: /^See free times/ });
  await expect(waiting).toHaveAttribute('href', `${GENERAL}#times`);
  const before = await waiting.boundingBox();
  // A long date, which takes two lines on a phone.
  const at = new Date(Date.now() + 20 * 86_400_000);
  desk.answer({ nextAvailableAt: at.toISOString() });
  await expect(nextFree(page)).toBeVisible();
  expect(await nextFree(page).boundingBox()).toEqual(before);
  // Less than a thousandth is rounding: no person sees it, and browsers call a tenth good.
  expect(await page.evaluate(() => window.moved)).toBeLessThan(0.001);
});

test('one press on the next free time leads to the calendar with it chosen @phone', async ({
  page,
  practice,
}) => {
  await signUpQuietly(page, practice.url, newPerson('Nila'));
  await page.goto('/');
  await expect(nextFree(page)).toBeVisible();
  const words = (await nextFree(page).textContent()) ?? '';
  await nextFree(page).click();
  await expectStep(page, 'Book Your Session');
  const chosen = page.getByTestId('times').locator('label', { has: page.locator(':checked') });
  const clock = /\d{1,2}:\d\d [ap]m/.exec(words)?.[0] ?? 'no time';
  await expect(chosen).toContainText(clock);
});

test('a stranger keeps the chosen time until after the sign-in @phone', async ({ page }) => {
  await page.goto('/');
  await nextFree(page).click();
  await expectStep(page, 'Sign In Required');
  await expect(page).toHaveURL(/\bslot=\d{4}-\d\d-\d\dT/);
});

test('without a free time, or without an answer, it leads to the calendar', async ({
  page,
  complaints,
}) => {
  expectTrouble(complaints, RPC.listSlots);
  const desk = await standIn(page, RPC.listSlots, {});
  for (const answer of [{}, 'refuse'] as const) {
    const before = desk.asked();
    desk.answer(answer);
    await page.goto('/');
    await desk.answeredAfter(before);
    const calm = page.getByRole('main').getByRole('link', { name: /^See free times/ });
    await expect(calm.locator('.animate-pulse-soft')).toHaveCount(0);
    await expect(calm).toHaveAttribute('href', `${GENERAL}#times`);
  }
});

test('Book a session stands in the header of every page, and louder than Sign Up @phone', async ({
  page,
  complaints,
}, { project }) => {
  complaints.expect(refusal('/no/such/page'));
  const bar = page.getByRole('banner');
  const book = bar.getByRole('link', { name: 'Book a session', exact: true });
  for (const path of [...PAGES, '/no/such/page']) {
    await page.goto(path);
    await expect(book, path).toBeInViewport({ ratio: 1 });
    await expect(book).toHaveAttribute('href', '/services');
  }
  if (project.name === 'phone') await page.getByRole('button', { name: 'Open menu' }).click();
  const ground = (one: Locator) => one.evaluate((e) => getComputedStyle(e).backgroundColor);
  const brand = await ground(book);
  const quiet = await ground(bar.getByRole('link', { name: 'Sign Up' }));
  const paper = await page.evaluate(() =>
    getComputedStyle(document.documentElement).getPropertyValue('--brand').trim(),
  );
  expect(hexOf(brand)).toBe(paper);
  expect(quiet).not.toBe(brand);
  await book.click();
  await expect(page).toHaveURL(/\/services$/);
});

/** "rgb(43, 99, 85)" as "#2b6355". */
function hexOf(rgb: string): string {
  const parts = rgb.match(/\d+/g)?.slice(0, 3) ?? [];
  return `#${parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
}

test('the theme is switched in the menu of small screens @phone-only @phone', async ({ page }) => {
  await page.goto('/faq');
  await page.getByRole('button', { name: 'Open menu' }).click();
  await page.getByRole('banner').getByRole('button', { name: 'Dark theme' }).click();
  await expect(page.locator('html')).toHaveClass(/dark/);
  await expect(page.getByRole('button', { name: 'Dark theme' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
});

const COUNTS = ['1', '0', '0', '1', '7'];
const COUNTED = { count: '9', countsByRating: COUNTS, verifiedCountsByRating: COUNTS };

test('figures about reviews are those of verified reviews', async ({ page }) => {
  const desk = await standIn(page, RPC.statistics, COUNTED);
  await page.goto('/');
  const strip = page.getByRole('region', { name: 'Sukoon in figures' });
  await expect(strip).toContainText('The rating is from 9 verified reviews.');
  await expect(strip.getByRole('definition')).toHaveText(['200+', '15+', '4.4', '500+']);
  await page.goto('/reviews');
  const main = page.getByRole('main');
  await expect(main.getByText('from 9 reviews')).toBeVisible();
  await expect(main.getByRole('definition')).toHaveText(['4.4/5', '200+', '88%']);
  await expect(main.getByText('“Happy clients” is our own figure.')).toBeVisible();
  await expect(main.getByRole('img', { name: '4.4 stars of 5' })).toBeVisible();
  await look(page, 'figures-counted');
  desk.answer({});
  await page.reload();
  await expect(main.getByText('These are our own figures.')).toBeVisible();
  await expect(main.getByRole('definition')).toHaveText(['4.9/5', '200+', '98%']);
  await expect(main.getByText('4.9/5')).toBeVisible();
});

test('the Pay button is on the first screen @phone', async ({ page, practice }) => {
  const person = newPerson('Payal');
  const token = await signUpQuietly(page, practice.url, person);
  const bookingId = await holdTime(practice, { person, token });
  await page.goto(`${CALENDAR}&step=payment&b=${bookingId}`);
  await expectReady(page);
  const pay = page.getByRole('main').getByRole('button', { name: 'Pay ₹500' });
  await expect(pay).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  await look(page, 'pay-in-reach');
});

test('what goes wrong with the order is read above the Pay button @phone', async ({
  page,
  practice,
  complaints,
}) => {
  expectTrouble(complaints, RPC.startPayment);
  await standIn(page, RPC.startPayment, 'refuse');
  const person = newPerson('Padma');
  const token = await signUpQuietly(page, practice.url, person);
  const bookingId = await holdTime(practice, { person, token });
  await page.goto(`${CALENDAR}&step=payment&b=${bookingId}`);
  const trouble = page.getByRole('main').getByRole('alert');
  await expect(trouble).toBeInViewport({ ratio: 1 });
  const bar = await page.locator('[data-bottom-bar]').boundingBox();
  const box = await trouble.boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
});

/** Larger letters, as a browser's settings make them. */
async function enlarge(page: Page, percent: number): Promise<void> {
  await page.addInitScript((size) => {
    const set = () => document.documentElement?.style.setProperty('font-size', `${size}%`);
    set();
    document.addEventListener('readystatechange', set);
  }, percent);
}

for (const percent of [130, 150, 200]) {
  test(`letters at ${percent} % fit the screen, and the name is whole @phone`, async ({
    page,
    practice,
  }) => {
    await enlarge(page, percent);
    const person = newPerson('Lata');
    await writeReview(practice.url, person, 'She listened, and I slept that night.');
    await signUpQuietly(page, practice.url, person);
    for (const path of PAGES) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
      // The reviews' figures are read after the page is loaded.
      if (path === '/reviews') await expect(page.getByText('From the reviews below')).toBeVisible();
      await test.step(path, () => fitsTheWidth(page));
      const bar = page.getByRole('banner');
      const name = bar.getByRole('link', { name: 'Sukoon, to the start' }).getByText('Sukoon');
      await expect(name).toBeInViewport({ ratio: 1 });
      expect(await name.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
      await expect(bar.getByRole('link', { name: 'Book a session' })).toBeInViewport({ ratio: 1 });
      await expect(bar.getByRole('button', { name: /^Your account/ })).toBeInViewport({ ratio: 1 });
    }
  });
}
