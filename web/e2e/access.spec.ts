/**
 * Every route of the build for eyes, thumbs and magnifiers: axe in both themes, on desk and phone,
 * at twice and four times the size, and nothing to press that a thumb misses. So are dialogs and
 * menus. Later steps of the booking flow and states of single pages are looked at by component tests
 * (src/testing/accessible.ts).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { PAGES } from '../src/app/pages';
import { expectEase, hardToPress } from './support/ease';
import { firstOf } from './support/lists';
import { BOOKING, PATHS } from './support/pages';
import { newPerson, signUpQuietly } from './support/people';
import { writeReview } from './support/rpc';
import { expect, test } from './support/test';
import { refusal } from './support/watch';

// Each of these tests takes minutes, and none needs what another has done.
test.describe.configure({ mode: 'parallel', timeout: 600_000 });

/** What depends on who is signed in, or on a link of a mail. */
const PERSONAL = PAGES.filter(({ personal }) => personal).map(({ path }) => path);
const PERSONAL_PATHS = PATHS.filter((path) => PERSONAL.includes(path));
const OPEN_PATHS = PATHS.filter((path) => !PERSONAL.includes(path));

/** Every service that was built. */
function servicePaths(): string[] {
  const file = join(import.meta.dirname, '../dist/routes.json');
  const { services } = JSON.parse(readFileSync(file, 'utf8')) as { services: string[] };
  return services.map((id) => `/service/${id}`);
}

function nameOf(path: string): string {
  return path === '/' ? 'home' : path.slice(1).replace(/\?.*/, '').replaceAll('/', '-');
}

async function expectEasyRoutes(page: Page, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await test.step(path, async () => {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
      await expectEase(page, `route-${nameOf(path)}`, page.getByRole('main'));
      // The page is still at its path and has not led elsewhere.
      const { origin, pathname } = new URL(page.url());
      expect(pathname).toBe(new URL(path, origin).pathname);
    });
  }
}

test('pages for all readers are easy to read and to press @phone', async ({ page, practice }) => {
  const words = 'Long enough that a card cuts it. '.repeat(6);
  const { reviewId } = await writeReview(practice.url, newPerson('Rekha'), words);
  await expectEasyRoutes(page, [...OPEN_PATHS, `/reviews/${reviewId}`]);
});

test('personal pages are easy to read and to press @phone', async ({ page }) => {
  await expectEasyRoutes(page, [...PERSONAL_PATHS, `${BOOKING}?service=meditation`]);
});

test('services, and what does not exist, are easy to read and to press @phone', async ({
  page,
  complaints,
}) => {
  await expectEasyRoutes(page, servicePaths());
  for (const path of ['/no/such/page', '/service/levitation', '/reviews/none']) {
    await test.step(path, async () => {
      complaints.expect(refusal(path), refusal('/rpc/catalogue.v1.CatalogueService/GetService'));
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1, name: 'Not Found' })).toBeVisible();
      await expectEase(page, `missing-${nameOf(path)}`, page.getByRole('main'));
    });
  }
});

async function expectEasyDialogs(page: Page): Promise<void> {
  await page.goto('/services');
  await page.getByRole('button', { name: 'Karmic Healing' }).click();
  const details = page.getByRole('dialog', { name: 'Karmic Healing' });
  await expect(details).toBeVisible();
  await expectEase(page, 'dialog-service', details);
  await page.keyboard.press('Escape');
  await expect(details).toBeHidden();
  await page.getByRole('button', { name: 'Admin', exact: true }).click();
  const admin = page.getByRole('dialog', { name: 'Admin Panel' });
  await expect(admin.getByRole('link', { name: 'Sign in' })).toBeVisible();
  await expectEase(page, 'dialog-admin', admin);
  await page.keyboard.press('Escape');
  await expect(admin).toBeHidden();
}

/** What only a small screen has, or makes small. */
async function expectThumbsReach(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Open menu' }).click();
  await expectEase(page, 'menu', page.getByRole('banner'));
  await page.goto('/');
  await page.getByRole('button', { name: /quiz/i }).click();
  const quiz = page.getByRole('dialog');
  const expectReach = async () => expect(await hardToPress(quiz)).toEqual([]);
  const start = quiz.getByRole('button', { name: 'Start Your Assessment' });
  await expect(start).toBeVisible();
  await expectReach();
  await start.click();
  const area = firstOf(quiz.getByRole('button', { name: /^Select This Area/ }));
  await expect(area).toBeVisible();
  await expectReach();
  await area.click();
  await expect(quiz.getByText('Recommended', { exact: true })).toBeVisible();
  await expectReach();
}

test('dialogs, menus and what needs a session are easy to read and to press @phone', async ({
  page,
  practice,
}, { project }) => {
  await test.step('dialogs', () => expectEasyDialogs(page));
  if (project.name === 'phone') {
    await test.step('the menu and the quiz', () => expectThumbsReach(page));
  }

  await signUpQuietly(page, practice.url, newPerson('Savita'));
  await page.goto('/booking-flow?service=meditation&step=auth');
  const welcome = page.getByRole('heading', { level: 1, name: "You're Signed In!" });
  await expect(welcome).toBeVisible();
  await expectEase(page, 'step-1-signed-in', page.getByRole('main'));
  await page.goto('/faq');
  await page.getByRole('button', { name: /^Your account/ }).click();
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  await expectEase(page, 'menu-account', page.getByRole('banner'));
});
