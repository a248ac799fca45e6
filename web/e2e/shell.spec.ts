/** The frame around every page, and the pages that lead to a booking. */
import type { Page } from '@playwright/test';
import { standIn } from './support/answers';
import { chunkAddress, lostChunk } from './support/chunks';
import { expectStep } from './support/flow';
import { fitsTheWidth, look } from './support/look';
import { HEADER, HEADER_LEFT_COUNT, PATHS, QUICK_LINKS } from './support/pages';
import { newPerson, signUpQuietly } from './support/people';
import { expect, expectToast, test } from './support/test';
import { refusal } from './support/watch';

declare global {
  interface Window {
    /** The layout shifts since the observer was started. */
    shifts?: number[];
  }
}

/** The invitation is part of the frame, and lies over the rest of it. */
const inviting = test.extend({ invitations: true });

test('the header leads to all pages @phone', async ({ page }, { project }) => {
  const onPhone = project.name === 'phone';
  await page.goto('/services');
  for (const { label, to } of HEADER) {
    if (onPhone) await page.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: label }).click();
    await expect(page).toHaveURL(new RegExp(`${to}$`));
    // A page that has come takes the focus, which closes a menu that is open.
    await expect(page.locator(':is(main, main h1):focus')).toHaveCount(1);
    if (onPhone) await expect(page.getByRole('button', { name: 'Open menu' })).toBeVisible();
  }
  for (const path of PATHS) {
    const answer = await page.goto(path);
    expect(answer?.status()).toBe(200);
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  }
  const home = page.getByRole('link', { name: 'Sukoon, to the start' });
  await home.click();
  await expect(page).toHaveURL(/\/$/);
});

test('the menu of small screens opens and closes @phone-only @phone', async ({ page }) => {
  await page.goto('/');
  const open = page.getByRole('button', { name: 'Open menu' });
  await open.click();
  await expect(page.getByRole('link', { name: 'Sign Up' })).toBeVisible();
  await look(page, 'menu');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('link', { name: 'Sign Up' })).toBeHidden();
  await expect(open).toBeFocused();

  // Tab out of the menu closes it, so the focus is not on something under the menu.
  await open.click();
  const last = page.getByRole('banner').getByRole('link', { name: 'Sign Up' });
  await last.focus();
  await page.keyboard.press('Tab');
  await expect(last).toBeHidden();
  await expect(page.locator(':is(a, button):focus')).toBeInViewport();

  await open.click();
  await page.getByRole('banner').getByRole('link', { name: 'Contact' }).focus();
  await page.keyboard.press('Escape');
  await expect(open).toBeFocused();
});

test('the theme stays as it was chosen', async ({ page }) => {
  await page.goto('/');
  const root = page.locator('html');
  const toggle = page.getByRole('button', { name: 'Dark theme' });
  await expect(root).not.toHaveClass(/dark/);
  await toggle.click();
  await expect(root).toHaveClass(/dark/);
  await expect(toggle).toHaveAttribute('aria-pressed', 'true');
  expect(await page.evaluate(() => localStorage.getItem('theme'))).toBe('dark');
  await page.goto('/booking-flow?service=general-consultation');
  await expectStep(page, 'Sign In Required');
  await expect(root).toHaveClass(/dark/);
  await page.getByRole('button', { name: 'Dark theme' }).click();
  await page.reload();
  await expect(root).not.toHaveClass(/dark/);
});

test('what does not exist is said with the right status @phone', async ({ page, complaints }) => {
  complaints.expect(refusal('/no/such/page'), refusal('/service/levitation'));
  complaints.expect(refusal('/services/levitation'));
  // A page that knows no such service asks whether there is a newer one.
  complaints.expect(refusal('/rpc/catalogue.v1.CatalogueService/GetService'));
  const missing = await page.goto('/no/such/page');
  expect(missing?.status()).toBe(404);
  await expectStep(page, 'Oops! Page Not Found');
  await look(page, 'not-found');
  await page.getByRole('link', { name: 'See our services' }).click();
  await expect(page).toHaveURL(/\/services$/);

  for (const path of ['/service/levitation', '/services/levitation']) {
    const unknown = await page.goto(path);
    expect(unknown?.status()).toBe(404);
    await expectStep(page, 'Service Not Found');
  }
  await look(page, 'service-not-found');
  await page.getByRole('link', { name: 'Return to Services' }).click();
  await expect(page).toHaveURL(/\/services$/);

  await page.goto('/booking-flow?service=levitation');
  await expect(page).toHaveURL(/\/services$/);
});

test('both paths of a service show it, and a free time begins a booking', async ({ page }) => {
  const long = await page.goto('/services/karmic-healing');
  expect(long?.status()).toBe(200);
  await expectStep(page, 'Karmic Healing');
  await expect(page.getByText('Important Service Notice')).toBeVisible();
  await page.goto('/service/general-consultation');
  await page.getByRole('link', { name: /IST/ }).first().click();
  await expectStep(page, 'Sign In Required');
  await expect(page).toHaveURL(/slot=/);
});

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

test('three links stand left of the logo and three right of it', async ({ page }) => {
  await page.goto('/');
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
});

test('links of the page that is shown scroll to its top', async ({ page }, { project }) => {
  const onPhone = project.name === 'phone';
  await page.goto('/services');
  await scrollDown(page);
  const menu = page.getByRole('button', { name: 'Open menu' });
  if (onPhone) await menu.click();
  const main = page.getByRole('navigation', { name: 'Main' });
  await main.getByRole('link', { name: 'Services' }).click();
  await expectScrolled(page, 'top');
  if (onPhone) await expect(menu).toHaveAttribute('aria-expanded', 'false');

  const footer = page.getByRole('contentinfo');
  // The page that is shown comes first.
  const [home, ...others] = QUICK_LINKS;
  for (const { label, to } of [...others, ...(home ? [home] : [])]) {
    await footer.getByRole('link', { name: label, exact: true }).click();
    await expect(page).toHaveURL(new RegExp(`${to}$`));
    await expectScrolled(page, 'top');
  }
  await expect(footer).toContainText('© 2024, all rights reserved, ');
  await expect(footer).toContainText('Bhopal, Madhya Pradesh');
});

test('a page opens at its top and says its title; Back restores the place @phone', async ({
  page,
}) => {
  await page.goto('/faq');
  await scrollDown(page);
  const from = await page.evaluate(() => window.scrollY);
  await page.getByRole('contentinfo').getByRole('link', { name: 'Services', exact: true }).click();
  await expectStep(page, 'Find what helps you today');
  await expectScrolled(page, 'top');
  await expect(page).toHaveTitle(/^Services · /);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(page.getByTestId('page-news')).toHaveText(/^Services · /);
  await page.goBack();
  await expectStep(page, 'Questions, answered');
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(from / 2);
});

inviting(
  'signing in from the header returns to the start; the avatar ends the session',
  async ({ page, practice }) => {
    await page.goto('/faq');
    const bar = page.getByRole('banner');
    for (const [label, path] of [
      ['Sign In', '/sign-in'],
      ['Sign Up', '/sign-up'],
    ] as const) {
      await expect(bar.getByRole('link', { name: label })).toHaveAttribute('href', path);
    }
    const person = newPerson();
    await signUpQuietly(page, practice.url, person);
    await page.goto('/faq');
    const avatar = bar.getByRole('button', { name: /Your account, Asha Verma/ });
    await avatar.click();
    await expect(bar.getByText(person.email)).toBeVisible();
    await expect(page.getByRole('complementary', { name: 'Invitation' })).toHaveCount(0);
    await look(page, 'avatar-menu');
    await bar.getByRole('button', { name: 'Sign out' }).focus();
    await page.keyboard.press('Escape');
    await expect(avatar).toBeFocused();
    await expect(bar.getByText(person.email)).toBeHidden();
    await avatar.click();
    await bar.getByRole('button', { name: 'Sign out' }).click();
    await expectToast(page, 'Signed out');
    await bar.getByRole('link', { name: 'Sign In' }).click();
    await page.getByLabel('Email').fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill(person.password);
    await page.getByRole('main').getByRole('button', { name: 'Sign In' }).click();
    await expect(page).toHaveURL(/\/$/);
    await expect(avatar).toBeVisible();
  },
);

inviting('visitors are invited after two seconds, and never again @phone', async ({ page }) => {
  await page.clock.install();
  await page.goto('/services');
  await expectStep(page, 'Find what helps you today');
  const bubble = page.getByRole('complementary', { name: 'Invitation' });
  await page.clock.runFor(2500);
  await expect(bubble).toContainText(
    'Join our community! Sign up for personalized healing sessions and track your wellness journey.',
  );
  await expect(page.locator('body')).toBeFocused();
  await look(page, 'promo-bubble');
  await bubble.getByRole('button', { name: 'Hide this invitation' }).click();
  await expect(bubble).toHaveCount(0);
  await page.reload();
  await expectStep(page, 'Find what helps you today');
  await page.clock.runFor(5000);
  await expect(bubble).toHaveCount(0);
});

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
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('Escape');
  await expect(bubble).toHaveCount(0);
});

test('without a network a banner says so, and reads come back by themselves', async ({
  page,
  context,
  complaints,
}) => {
  complaints.expect(/ERR_INTERNET_DISCONNECTED/);
  await page.goto('/services');
  await expectStep(page, 'Find what helps you today');
  await page.goto('/reviews');
  await expect(page.getByText('Loading reviews...')).toHaveCount(0);
  await context.setOffline(true);
  await expect(page.getByText('You are offline.', { exact: true })).toBeVisible();
  await look(page, 'offline');
  await page.getByRole('radio', { name: 'Verified' }).check();
  await expect(page.getByRole('alert')).toContainText('You are offline');
  await context.setOffline(false);
  await expect(page.getByText('You are offline.', { exact: true })).toHaveCount(0);
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a page whose code does not come says so and can be tried again', async ({
  page,
  complaints,
}, { project }) => {
  complaints.expect(lostChunk('faq-page'), /PageNotLoaded/);
  complaints.expect(/The code of this page could not be loaded/);
  await page.goto('/services');
  await expectStep(page, 'Find what helps you today');
  const desk = await standIn(page, chunkAddress('faq-page'), 'lose');
  if (project.name === 'phone') await page.getByRole('button', { name: 'Open menu' }).click();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'FAQ' }).click();
  await expectStep(page, 'This page could not be loaded');
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  await look(page, 'page-not-loaded');
  desk.answer('go');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expectStep(page, 'Questions, answered');
});

test('a page whose code takes its time shows that it is coming', async ({ page }) => {
  await page.goto('/services');
  await expectStep(page, 'Find what helps you today');
  let open = () => {};
  const gate = new Promise<void>((done) => {
    open = done;
  });
  await page.route(chunkAddress('faq-page'), async (route) => {
    await gate;
    await route.continue();
  });
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'FAQ' }).click();
  await expect(page.getByText('Loading the page…')).toBeAttached();
  open();
  await expectStep(page, 'Questions, answered');
  await expect(page.getByText('Loading the page…')).toHaveCount(0);
});

test('what leads to a booking ends at its free times with its service', async ({ page }) => {
  await page.goto('/services');
  await page.getByRole('button', { name: 'Energy Healing' }).click();
  const dialog = page.getByRole('dialog', { name: 'Energy Healing' });
  await expect(dialog.getByText('₹700')).toBeVisible();
  await expect(dialog.getByText('45-60 minutes')).toBeVisible();
  await expect(dialog.getByRole('link', { name: 'View Full Details' })).toHaveAttribute(
    'href',
    '/service/energy-healing',
  );
  const book = dialog.getByRole('link', { name: 'Book Session' });
  await expect(book).toHaveAttribute('href', '/book?service=energy-healing');
  await look(page, 'service-dialog');
  await book.click();
  await expect(page).toHaveURL(/\/book\?service=energy-healing$/);
  await expectStep(page, 'Book a Session');
  await expect(page.getByLabel('Session', { exact: true })).toHaveValue('energy-healing');
  await expect(page.getByText(/^All times are in IST/)).toBeVisible();
});

test.describe('people who want less movement', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } });

  test('get hardly any', async ({ page }) => {
    await page.goto('/services');
    await page.getByRole('button', { name: 'Energy Healing' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toBeVisible();
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
  });

  test('see another theme at once, down to what inherits from it', async ({ page }) => {
    await page.goto('/services');
    await expectStep(page, 'Find what helps you today');
    const moving = await page.evaluate(() => {
      document.documentElement.classList.toggle('dark');
      return document.getAnimations().length;
    });
    expect(moving).toBe(0);
  });

  test('are at the top at once', async ({ page }) => {
    await page.goto('/services');
    await expectStep(page, 'Find what helps you today');
    await scrollDown(page);
    const main = page.getByRole('navigation', { name: 'Main' });
    await main.getByRole('link', { name: 'Services' }).click();
    expect(await page.evaluate(() => window.scrollY)).toBe(0);

    await page.goto('/contact');
    await page.getByLabel('Name', { exact: true }).fill('Leela Rao');
    await page.getByLabel('Email', { exact: true }).fill(newPerson('Leela').email);
    await page.getByLabel('Message', { exact: true }).fill('Is the garden open on Sundays?');
    await page.getByRole('button', { name: 'Send Message' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
  });
});

test.describe('the narrowest screens', () => {
  test.use({ viewport: { width: 320, height: 640 } });

  test('scroll in one direction only', async ({ page }) => {
    const more = ['/service/relationship-counseling', '/booking-flow?service=energy-healing'];
    for (const path of [...PATHS, ...more]) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
      await fitsTheWidth(page);
    }
  });
});
