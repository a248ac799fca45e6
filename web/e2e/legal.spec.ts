/** Privacy, terms and refunds: their words before any script, the ways to them, and on paper. */
import { LEGAL_PAGES } from '../src/features/legal/legal-pages';
import { LEGAL_NAMES } from '../src/lib/legal-text';
import { readLegalFiles } from '../src/prerender/legal-files';
import { CALENDAR } from './support/flow';
import { look } from './support/look';
import { pathOf } from './support/pages';
import { newPerson, signUpQuietly } from './support/people';
import { expect, test } from './support/test';

const PAGES = LEGAL_NAMES.map((name) => {
  const { label, title } = LEGAL_PAGES[name];
  return { path: pathOf(name), link: label, title };
});

for (const { path, title } of PAGES) {
  test(`${path} has its text, and what it links to is there @phone`, async ({ page, request }) => {
    const answer = await page.goto(path);
    expect(answer?.status()).toBe(200);
    await expect(page).toHaveTitle(new RegExp(`^${title} · Sukoon$`));
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
    const main = page.getByRole('main');
    await expect(main).toContainText(/Last changed on \d+ \w+ 20\d\d/);
    await expect(main.getByRole('link', { name: /@/ }).first()).toHaveAttribute('href', /^mailto:/);
    await expect(main).not.toContainText(/[{}[\]]/);
    await look(page, `legal${path.replace('/', '-')}`);
    const links = main.locator('a[href^="/"]');
    const found = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(found).toContain('/cancellation-policy');
    for (const address of new Set(found.map((href) => href?.split('#')[0] ?? ''))) {
      expect((await request.get(address)).status(), address).toBe(200);
    }
  });
}

test('the texts are there before any script runs', async ({ browser, practice }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: practice.url });
  const page = await context.newPage();
  const texts = readLegalFiles('../deploy/local/practice');
  for (const name of LEGAL_NAMES) {
    await page.goto(`/${name}`);
    for (const { title } of texts[name].sections) {
      await expect(page.getByRole('heading', { level: 2, name: title })).toBeVisible();
    }
  }
  await context.close();
});

test('the foot of a page leads to each, and the way back is as it was @phone', async ({ page }) => {
  await page.goto('/faq');
  const foot = page.getByRole('contentinfo');
  const rules = foot.getByRole('navigation', { name: 'Privacy and terms' });
  for (const { path, link, title } of PAGES) {
    await rules.getByRole('link', { name: link, exact: true }).click();
    await expect(page).toHaveURL(new RegExp(`${path}$`));
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
    await expect(page.getByRole('main')).toContainText('Last changed');
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
  }
  await rules.getByRole('link', { name: 'Cancellation policy' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Cancellation Policy');
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Refund Policy');
  await expect(page.getByRole('main')).toContainText('Last changed');
});

test('signing up names the terms and keeps what was typed', async ({ page, context }) => {
  await page.goto('/sign-up');
  await page.getByLabel('First name').fill('Leela');
  const main = page.getByRole('main');
  for (const { name, title } of [
    { name: /^Terms/, title: 'Terms of Service' },
    { name: /^Privacy Policy/, title: 'Privacy Policy' },
  ]) {
    const opened = context.waitForEvent('page');
    await main.getByRole('link', { name }).click();
    const other = await opened;
    await expect(other.getByRole('heading', { level: 1 })).toHaveText(title);
    await other.close();
  }
  await expect(page.getByLabel('First name')).toHaveValue('Leela');
});

test('the agreement to a booking names them', async ({ page, practice }) => {
  await signUpQuietly(page, practice.url, newPerson('Leela'));
  await page.goto(CALENDAR);
  const agreement = page.getByRole('region', { name: 'Quick Agreement' });
  for (const { path, link } of PAGES) {
    const found = agreement.getByRole('link', { name: new RegExp(`^${link}`) });
    await expect(found).toHaveAttribute('href', path);
    await expect(found).toHaveAttribute('target', '_blank');
  }
});

test('on a wide screen the parts are listed beside the text, and lead there', async ({ page }) => {
  await page.goto('/privacy');
  const contents = page.getByRole('navigation', { name: 'On this page' });
  await contents.getByRole('link', { name: 'Your rights' }).click();
  await expect(page).toHaveURL(/\/privacy#your-rights$/);
  await expect(page.getByRole('heading', { name: 'Your rights' })).toBeInViewport();
});

test('printed, a text stands on the paper alone', async ({ page }) => {
  await page.goto('/terms');
  await page.emulateMedia({ media: 'print' });
  const main = page.getByRole('main');
  await expect(main.getByRole('heading', { name: 'Cancelling' })).toBeVisible();
  await expect(main.getByText(/ · hello@/)).toBeVisible();
  await expect(page.getByRole('banner')).toBeHidden();
  await expect(page.getByRole('contentinfo')).toBeHidden();
  await expect(page.getByRole('navigation', { name: 'On this page' })).toBeHidden();
});
