/** What stands around every page, and the pages that lead to a booking. */
import { expectStep } from './support/flow';
import { fitsTheWidth, look } from './support/look';
import { expect, test } from './support/test';
import { refusal } from './support/watch';

const HEADER = [
  ['Home', '/'],
  ['Services', '/services'],
  ['About Us', '/about'],
  ['Reviews', '/reviews'],
  ['FAQ', '/faq'],
  ['Contact', '/contact'],
] as const;

const MORE = ['/book', '/book-session', '/cancellation-policy', '/sign-in', '/recover'] as const;

function nameOf(path: string): string {
  return path === '/' ? 'home' : path.slice(1).replaceAll('/', '-');
}

test('the header leads to all pages @phone', async ({ page }, { project }) => {
  const onPhone = project.name === 'phone';
  await page.goto('/services');
  for (const [label, path] of HEADER) {
    if (onPhone) await page.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: label }).click();
    await expect(page).toHaveURL(new RegExp(`${path}$`));
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
    if (onPhone) await expect(page.getByRole('button', { name: 'Open menu' })).toBeVisible();
    await look(page, `page-${nameOf(path)}`);
  }
  for (const path of MORE) {
    const answer = await page.goto(path);
    expect(answer?.status()).toBe(200);
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
    await look(page, `page-${nameOf(path)}`);
  }
  const home = page.getByRole('link', { name: 'To the start' });
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
});

test.describe('the narrowest screens', () => {
  test.use({ viewport: { width: 320, height: 640 } });

  test('scroll in one direction only', async ({ page }) => {
    const paths = [...HEADER.map(([, path]) => path), ...MORE, '/sign-up'];
    const more = ['/service/relationship-counseling', '/booking-flow?service=energy-healing'];
    for (const path of [...paths, ...more]) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
      await fitsTheWidth(page);
    }
  });
});
