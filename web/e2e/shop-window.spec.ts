/**
 * What a first visit shows: what this is, what it costs and when there is time, the way to a
 * session on every page, and text of any size.
 */
import type { Locator, Page } from '@playwright/test';
import { expectTrouble, RPC, standIn } from './support/answers';
import { CALENDAR, expectReady, expectStep } from './support/flow';
import { firstOf } from './support/lists';
import { fitsTheWidth } from './support/look';
import { LEGAL_PATHS, PATHS, pathOf } from './support/pages';
import { newPerson, signUpQuietly } from './support/people';
import { holdTime, writeReview } from './support/rpc';
import { expect, test } from './support/test';
import { refusal } from './support/watch';

const GENERAL = '/service/general-consultation';
const FLOW = '/booking-flow?service=general-consultation';
const MISSING = '/no/such/page';
/** All pages but the legal texts and the one that confirms an address. */
const PAGES = [
  ...PATHS.filter((path) => !LEGAL_PATHS.includes(path) && path !== pathOf('confirm')),
  ...['/service/relationship-counseling', FLOW, MISSING],
];
/** The sizes of letters, in percent, as a browser's settings make them. */
const SIZES = [100, 130, 150, 200];

declare global {
  interface Window {
    /** How much moved since the document began. */
    moved?: number;
  }
}

/** How much fonts move that come late, where only DejaVu stands in; browsers call a tenth good. */
const LATE_FONT_MOVES = 0.05;

function nextFree(page: Page): Locator {
  return page.getByRole('main').getByRole('link', { name: /^Next: / });
}

test('the first screen says what this is, its price and the next free time @phone', async ({
  page,
}) => {
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
  // When the time comes, nothing moves.
  const waiting = page.getByRole('main').getByRole('link', { name: /^See free times/ });
  await expect(waiting).toHaveAttribute('href', `${GENERAL}#times`);
  const before = await waiting.boundingBox();
  const moved = () => page.evaluate(() => window.moved ?? 0);
  const movedBefore = await moved();
  // A long date, which takes two lines on a phone.
  const at = new Date(Date.now() + 20 * 86_400_000);
  desk.answer({ nextAvailableAt: at.toISOString() });
  await expect(nextFree(page)).toBeVisible();
  expect(await nextFree(page).boundingBox()).toEqual(before);
  // Less than a thousandth is rounding: no person sees it. Before, a font may have come late.
  expect((await moved()) - movedBefore).toBeLessThan(0.001);
  expect(await moved()).toBeLessThan(LATE_FONT_MOVES);

  const whole = { ratio: 1 };
  const title = page.getByRole('heading', { level: 1, name: /mental clarity in 90 seconds/i });
  await expect(title).toBeInViewport(whole);
  await expect(page.getByText('Counselling and healing in Bhopal, and online')).toBeInViewport(
    whole,
  );
  await expect(page.getByText('Sessions from ₹500 · 30–90 min')).toBeInViewport(whole);
  await expect(nextFree(page)).toBeInViewport(whole);
  await expect(nextFree(page)).toContainText(/\d{1,2}:\d\d [ap]m IST/);
  await expect(nextFree(page)).toContainText('General Consultation, 45 min, ₹500');
  await expect(page.getByRole('button', { name: /quiz/i })).toBeInViewport(whole);
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  await fitsTheWidth(page);
});

test('one press on the next free time leads to the calendar with it chosen', async ({
  page,
  practice,
}) => {
  await test.step('a stranger keeps it until after the sign-in', async () => {
    await page.goto('/');
    await nextFree(page).click();
    await expectStep(page, 'Sign In Required');
    await expect(page).toHaveURL(/\bslot=\d{4}-\d\d-\d\dT/);
  });
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

test('Pay is on the first screen, and what goes wrong is read above it @phone', async ({
  page,
  practice,
  complaints,
}) => {
  expectTrouble(complaints, RPC.startPayment);
  const desk = await standIn(page, RPC.startPayment, 'refuse');
  const person = newPerson('Payal');
  const token = await signUpQuietly(page, practice.url, person);
  const bookingId = await holdTime(practice, { person, token });
  const payment = `${CALENDAR}&step=payment&b=${bookingId}`;
  await page.goto(payment);
  const trouble = page.getByRole('main').getByRole('alert');
  await expect(trouble).toBeInViewport({ ratio: 1 });
  const bar = await page.locator('[data-bottom-bar]').boundingBox();
  const box = await trouble.boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);

  desk.answer('go');
  await page.goto(payment);
  await expectReady(page);
  const pay = page.getByRole('main').getByRole('button', { name: 'Pay ₹500' });
  await expect(pay).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  await fitsTheWidth(page);
});

/** "rgb(43, 99, 85)" as "#2b6355". */
function hexOf(rgb: string): string {
  const parts = rgb.match(/\d+/g)?.slice(0, 3) ?? [];
  return `#${parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
}

/** Book a session has the ground of the brand, and Sign Up has another one. */
async function expectLouder(page: Page): Promise<void> {
  const bar = page.getByRole('banner');
  const ground = (one: Locator) => one.evaluate((e) => getComputedStyle(e).backgroundColor);
  const brand = await ground(bar.getByRole('link', { name: 'Book a session' }));
  const quiet = await ground(firstOf(bar.locator('a[href="/sign-up"]')));
  const paper = await page.evaluate(() =>
    getComputedStyle(document.documentElement).getPropertyValue('--brand').trim(),
  );
  expect(hexOf(brand)).toBe(paper);
  expect(quiet).not.toBe(brand);
}

/** The page with letters of a size: nothing scrolls sideways. */
async function expectWidth(page: Page, percent: number): Promise<void> {
  await page.evaluate((size) => {
    document.documentElement.style.setProperty('font-size', `${size}%`);
  }, percent);
  await fitsTheWidth(page);
}

/** The same, and the site's header shows all of itself. */
async function expectFit(page: Page, percent: number): Promise<void> {
  await expectWidth(page, percent);
  const bar = page.getByRole('banner');
  const name = bar.getByRole('link', { name: 'Sukoon, to the start' }).getByText('Sukoon');
  await expect(name).toBeInViewport({ ratio: 1 });
  expect(await name.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
  await expect(bar.getByRole('link', { name: 'Book a session' })).toBeInViewport({ ratio: 1 });
}

test('letters of any size fit the screen, and the header is whole @phone', async ({
  page,
  practice,
  complaints,
}) => {
  complaints.expect(refusal(MISSING));
  const bar = page.getByRole('banner');
  await test.step('for a visitor', async () => {
    await page.goto('/');
    await expectLouder(page);
    for (const percent of SIZES) await expectFit(page, percent);
  });

  const person = newPerson('Lata');
  await writeReview(practice.url, person, 'She listened, and I slept that night.');
  await signUpQuietly(page, practice.url, person);
  for (const path of PAGES) {
    await test.step(path, async () => {
      const answer = await page.goto(path);
      expect(answer?.status()).toBe(path === MISSING ? 404 : 200);
      await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
      // The reviews' figures are read after the page is loaded.
      if (path === '/reviews') await expect(page.getByText('From the reviews below')).toBeVisible();
      const account = bar.getByRole('button', { name: /^Your account/ });
      for (const percent of SIZES) {
        // The desk has a header of its own.
        await (path === '/desk' ? expectWidth : expectFit)(page, percent);
        await expect(account).toBeInViewport({ ratio: 1 });
      }
    });
  }
});
