/**
 * Code that does not come, in a real browser: what is missing says so in its own place, and the
 * page stays. `src/app/late-sections.test.tsx` has every section.
 */
import type { Locator, Page } from '@playwright/test';
import { standIn } from './support/answers';
import { chunkAddress, goneChunk, lostChunk } from './support/chunks';
import { expectStep } from './support/flow';
import { expectSome } from './support/lists';
import { expect, test } from './support/test';

const SERVICE_PATH = '/service/general-consultation';

function noticeOf(page: Page): Locator {
  const words = 'The free times could not be loaded';
  return page.getByRole('main').getByRole('alert').filter({ hasText: words });
}

/** The page around what is missing. */
async function expectWhole(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Something went wrong' })).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  await expect(page.getByRole('banner')).toBeVisible();
  await expect(page.getByRole('contentinfo')).toBeAttached();
}

test('a section without its code comes by a press, with the connection or in a new document', async ({
  page,
  context,
  complaints,
}) => {
  complaints.expect(/ERR_INTERNET_DISCONNECTED/);
  complaints.expect(lostChunk('free-times'), goneChunk('free-times'));
  const desk = await standIn(page, chunkAddress('free-times'), 'lose');
  const notice = noticeOf(page);
  const again = notice.getByRole('button', { name: 'Try again' });
  const times = page.getByRole('link', { name: /IST/ });

  await test.step('by a press', async () => {
    await page.goto(SERVICE_PATH);
    await expect(again).toBeVisible();
    await expectWhole(page);
    await expect(notice.getByRole('button', { name: 'Reload the page' })).toHaveCount(0);
    desk.answer('go');
    await again.click();
    await expectSome(times);
    await expect(notice).toHaveCount(0);
    await expectWhole(page);
  });

  await test.step('with the connection', async () => {
    desk.answer('lose');
    await page.goto(SERVICE_PATH);
    await expect(notice).toBeVisible();
    desk.answer('go');
    await context.setOffline(true);
    await expect(page.getByText('You are offline.', { exact: true })).toBeVisible();
    await context.setOffline(false);
    await expectSome(times);
    await expect(notice).toHaveCount(0);
  });

  await test.step('in a new document, where it is gone for good', async () => {
    desk.answer(404);
    await page.goto(SERVICE_PATH);
    await again.click();
    const reload = notice.getByRole('button', { name: 'Reload the page' });
    await expect(reload).toBeVisible();
    desk.answer('go');
    await reload.click();
    await expectSome(times);
  });
});

test('a page that cannot be drawn says so, and a refresh brings it', async ({
  page,
  complaints,
}) => {
  complaints.expect(/This page cannot be drawn/);
  const broken = 'export function SignInPage() { throw new Error("This page cannot be drawn"); }';
  let isBroken = true;
  await page.route(chunkAddress('sign-in-page'), (route) =>
    isBroken ? route.fulfill({ contentType: 'text/javascript', body: broken }) : route.continue(),
  );
  await page.goto('/sign-in');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Something went wrong');
  isBroken = false;
  await page.getByRole('button', { name: 'Refresh Page' }).click();
  await expectStep(page, 'Sign In');
});
