/** The frame around every page: its links, what it keeps, and what happens around a change of page. */
import type { Page } from '@playwright/test';
import { standIn } from './support/answers';
import { chunkAddress, lostChunk } from './support/chunks';
import { expectStep } from './support/flow';
import { fitsTheWidth } from './support/look';
import { HEADER, HEADER_LEFT_COUNT, QUICK_LINKS } from './support/pages';
import { newPerson, signUpQuietly } from './support/people';
import { expect, expectToast, test } from './support/test';

declare global {
  interface Window {
    /** The layout shifts since the observer was started. */
    shifts?: number[];
  }
}

/** The invitation is part of the frame, and lies over the rest of it. */
const inviting = test.extend({ invitations: true });

/** Waits until the page has scrolled to the given place. */
async function expectScrolled(page: Page, to: 'top' | 'down'): Promise<void> {
  const at = expect.poll(() => page.evaluate(() => Math.round(window.scrollY)));
  if (to === 'top') await at.toBe(0);
  else await at.toBeGreaterThan(300);
}

async function scrollDown(page: Page): Promise<void> {
  await page.evaluate(() => window.scrollTo({ top: 700, behavior: 'instant' }));
  await expectScrolled(page, 'down');
}

/** The page that has come has scrolled to its top and taken the focus. */
async function expectArrived(page: Page, title: string): Promise<void> {
  await expectStep(page, title);
  await expect(page.locator(':is(main, main h1):focus')).toHaveCount(1);
}

/** Three links stand left of the logo and three right of it. */
async function expectInOrder(page: Page): Promise<void> {
  const box = async (name: string) => {
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });
    return (await link.boundingBox()) ?? { x: Number.NaN };
  };
  const logo = await box('Sukoon, to the start');
  for (const [at, { label }] of HEADER.entries()) {
    const { x } = await box(label);
    if (at < HEADER_LEFT_COUNT) expect(x, `${label} stands left`).toBeLessThan(logo.x);
    else expect(x, `${label} stands right`).toBeGreaterThan(logo.x);
  }
  await expect(page.getByRole('button', { name: 'Open menu' })).toBeHidden();
}

test('header and footer lead to all pages, and each opens at its top', async ({ page }) => {
  const header = page.getByRole('navigation', { name: 'Main' });
  const footer = page.getByRole('contentinfo');
  await page.goto('/services');
  await expectInOrder(page);
  for (const { label, to } of HEADER) {
    await header.getByRole('link', { name: label }).click();
    await expect(page).toHaveURL(new RegExp(`${to}$`));
    await expect(page.locator(':is(main, main h1):focus')).toHaveCount(1);
  }
  await header.getByRole('link', { name: 'Sukoon, to the start' }).click();
  await expect(page).toHaveURL(/:\d+\/$/);

  await test.step('links of the page that is shown scroll to its top', async () => {
    await header.getByRole('link', { name: 'Services' }).click();
    await expectArrived(page, 'Find what helps you today');
    await scrollDown(page);
    await header.getByRole('link', { name: 'Services' }).click();
    await expectScrolled(page, 'top');
    // The page that is shown comes first.
    const [home, ...others] = QUICK_LINKS;
    for (const { label, to } of [...others, ...(home ? [home] : [])]) {
      await footer.getByRole('link', { name: label, exact: true }).click();
      await expect(page).toHaveURL(new RegExp(`${to}$`));
      await expectScrolled(page, 'top');
    }
  });

  await test.step('a page says its title, and Back restores the place', async () => {
    await footer.getByRole('link', { name: 'FAQ', exact: true }).click();
    await expectArrived(page, 'Questions, answered');
    await scrollDown(page);
    const from = await page.evaluate(() => window.scrollY);
    await footer.getByRole('link', { name: 'Services', exact: true }).click();
    await expectStep(page, 'Find what helps you today');
    await expectScrolled(page, 'top');
    await expect(page).toHaveTitle(/^Services · /);
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
    await expect(page.getByTestId('page-news')).toHaveText(/^Services · /);
    await page.goBack();
    await expectStep(page, 'Questions, answered');
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(from / 2);
  });
});

test('the menu of small screens leads to all pages @phone-only @phone', async ({ page }) => {
  const bar = page.getByRole('banner');
  const open = page.getByRole('button', { name: 'Open menu' });
  const last = bar.getByRole('link', { name: 'Sign Up' });
  await page.goto('/services');
  for (const { label, to } of HEADER) {
    await open.click();
    await bar.getByRole('link', { name: label }).click();
    await expect(page).toHaveURL(new RegExp(`${to}$`));
    // A page that has come takes the focus, which closes a menu that is open.
    await expect(page.locator(':is(main, main h1):focus')).toHaveCount(1);
    await expect(open).toBeVisible();
  }

  await test.step('it closes on Escape, and when Tab leads out of it', async () => {
    await open.click();
    await expect(last).toBeVisible();
    await fitsTheWidth(page);
    await bar.getByRole('link', { name: 'Contact' }).focus();
    await page.keyboard.press('Escape');
    await expect(last).toBeHidden();
    await expect(open).toBeFocused();
    // Or else the focus would be on something under the menu.
    await open.click();
    await last.focus();
    await page.keyboard.press('Tab');
    await expect(last).toBeHidden();
    await expect(page.locator(':focus')).toBeInViewport();
  });

  await test.step('a link of the page that is shown scrolls to its top and closes it', async () => {
    await scrollDown(page);
    await open.click();
    await bar.getByRole('link', { name: 'Contact' }).click();
    await expectScrolled(page, 'top');
    await expect(open).toHaveAttribute('aria-expanded', 'false');
  });

  await test.step('the theme is switched there', async () => {
    await open.click();
    await bar.getByRole('button', { name: 'Dark theme' }).click();
    await expect(page.locator('html')).toHaveClass(/dark/);
  });
});

inviting(
  'signing in from the header returns to the start; the avatar ends the session',
  async ({ page, practice }) => {
    const bar = page.getByRole('banner');
    const person = newPerson();
    await signUpQuietly(page, practice.url, person);
    await page.goto('/faq');
    const avatar = bar.getByRole('button', { name: /Your account, Asha Verma/ });
    await avatar.click();
    await expect(bar.getByText(person.email)).toBeVisible();
    await expect(page.getByRole('complementary', { name: 'Invitation' })).toHaveCount(0);
    await bar.getByRole('button', { name: 'Sign out' }).click();
    await expectToast(page, 'Signed out');
    await bar.getByRole('link', { name: 'Sign In' }).click();
    await page.getByLabel('Email').fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill(person.password);
    await page.getByRole('main').getByRole('button', { name: 'Sign In' }).click();
    await expect(page).toHaveURL(/:\d+\/$/);
    await expect(avatar).toBeVisible();
  },
);

inviting('the invitation moves nothing and covers no bar @phone', async ({ page }) => {
  await page.goto('/service/meditation');
  await page.evaluate(() => {
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        window.shifts?.push((entry as PerformanceEntry & { value: number }).value);
      }
    }).observe({ type: 'layout-shift' });
  });
  const bubble = page.getByRole('complementary', { name: 'Invitation' });
  await expect(bubble).toBeVisible();
  const box = await bubble.boundingBox();
  const bar = await page.locator('[data-bottom-bar]').boundingBox();
  if (bar) expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(bar.y);
  expect(await page.evaluate(() => window.shifts)).toEqual([]);
  await fitsTheWidth(page);
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('Escape');
  await expect(bubble).toHaveCount(0);
});

test('a page whose code is late says so, and one whose code is lost can be tried again', async ({
  page,
  complaints,
}) => {
  complaints.expect(lostChunk('faq-page'), /PageNotLoaded/);
  complaints.expect(/The code of this page could not be loaded/);
  await page.goto('/services');
  await expectStep(page, 'Find what helps you today');
  const desk = await standIn(page, chunkAddress('faq-page'), 'wait');
  const header = page.getByRole('navigation', { name: 'Main' });
  await header.getByRole('link', { name: 'FAQ' }).click();
  await expect(page.getByText('Loading the page…')).toBeAttached();
  desk.answer('lose');
  await expectStep(page, 'This page could not be loaded');
  await expect(header).toBeVisible();
  desk.answer('go');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expectStep(page, 'Questions, answered');
  await expect(page.getByText('Loading the page…')).toHaveCount(0);
});

test.describe('people who want less movement', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } });

  test('get hardly any, and are at the top at once', async ({ page }) => {
    await page.goto('/services');
    await expectStep(page, 'Find what helps you today');
    // Another theme is there at once, down to what inherits from it.
    const moving = await page.evaluate(() => {
      document.documentElement.classList.toggle('dark');
      return document.getAnimations().length;
    });
    expect(moving).toBe(0);

    await scrollDown(page);
    const main = page.getByRole('navigation', { name: 'Main' });
    await main.getByRole('link', { name: 'Services' }).click();
    expect(await page.evaluate(() => window.scrollY)).toBe(0);

    await page.getByRole('button', { name: 'Energy Healing' }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    const longest = await page.evaluate(() =>
      Math.max(
        0,
        ...[...document.querySelectorAll('*')].flatMap((element) => {
          const { animationDuration, transitionDuration } = getComputedStyle(element);
          return `${animationDuration},${transitionDuration}`.split(',').map(Number.parseFloat);
        }),
      ),
    );
    expect(longest).toBeLessThanOrEqual(0.001);

    await page.goto('/contact');
    await page.getByLabel('Name', { exact: true }).fill('Leela Rao');
    await page.getByLabel('Email', { exact: true }).fill(newPerson('Leela').email);
    await page.getByLabel('Message', { exact: true }).fill('Is the garden open on Sundays?');
    await page.getByRole('button', { name: 'Send Message' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
  });
});
