/** Ending mails that are not about a booking, by the link of a real one. */
import type { Page } from '@playwright/test';
import { look } from './support/look';
import { newPerson } from './support/people';
import { askForGuide } from './support/rpc';
import { headerOf, type Mail, type Sandbox } from './support/sandbox';
import { expect, test } from './support/test';
import { refusal } from './support/watch';

const CALL = '/rpc/notifications.v1.NotificationsService/Unsubscribe';

/** The link that mail programs know, which is also the one at the foot. */
function linkOf(mail: Mail): string {
  const link = /<([^>]+)>/.exec(headerOf(mail, 'List-Unsubscribe') ?? '')?.[1] ?? '';
  expect(mail.text).toContain(link);
  expect(headerOf(mail, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
  return link;
}

async function guides(sandbox: Sandbox, email: string): Promise<number> {
  const mails = await sandbox.inbox(email);
  return mails.filter(({ subject }) => /meditation guide/i.test(subject)).length;
}

async function expectTitle(page: Page, title: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
}

test('opening the link ends nothing, pressing the button does @phone', async ({
  page,
  complaints,
  practice,
  sandbox,
}) => {
  const { email } = newPerson('Nandi');
  await askForGuide(practice.url, email, 1);
  const link = linkOf(await sandbox.mail(email, /meditation guide/i));
  const answer = await page.goto(link);
  expect(answer?.status()).toBe(200);
  await expectTitle(page, 'Unsubscribe');
  await expect(page).toHaveURL(/\/unsubscribe$/);
  await expect(page.locator('meta[name="robots"]')).toHaveAttribute('content', 'noindex');
  await look(page, 'unsubscribe');
  await askForGuide(practice.url, email, 2);
  await expect.poll(() => guides(sandbox, email)).toBe(2);

  // The page says that the server is away; the link stays valid, over a reload too.
  complaints.expect(refusal(CALL));
  const mails = practice.keepDown('notifications');
  await page.getByRole('button', { name: 'Unsubscribe' }).click();
  await expect(page.getByRole('alert')).toContainText('Pressing twice does no harm.', {
    timeout: 60_000,
  });
  await look(page, 'unsubscribe-failed');
  await mails.release();
  await page.reload();
  await page.getByRole('button', { name: 'Unsubscribe' }).press('Enter');
  await expectTitle(page, 'You are unsubscribed');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await look(page, 'unsubscribe-done');

  await askForGuide(practice.url, email, 3);
  const other = newPerson('Om').email;
  await askForGuide(practice.url, other, 1);
  await sandbox.mail(other, /meditation guide/i);
  expect(await guides(sandbox, email)).toBe(2);
});

test('what was done is said after a reload, and can be undone', async ({
  page,
  practice,
  sandbox,
}) => {
  const { email } = newPerson('Qadir');
  await askForGuide(practice.url, email, 1);
  const link = linkOf(await sandbox.mail(email, /meditation guide/i));
  await page.goto(link);
  await page.getByRole('button', { name: 'Unsubscribe' }).click();
  await expectTitle(page, 'You are unsubscribed');
  await page.reload();
  await expectTitle(page, 'You are unsubscribed');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectTitle(page, 'Our mails come again');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await look(page, 'unsubscribe-undone');
  await askForGuide(practice.url, email, 2);
  await expect.poll(() => guides(sandbox, email)).toBe(2);

  // An old link does not say whether it was used, so it offers both ways.
  await page.getByRole('button', { name: 'Unsubscribe' }).click();
  await expectTitle(page, 'You are unsubscribed');
  await page.goto(link);
  await expectTitle(page, 'Unsubscribe');
  await page.getByRole('button', { name: 'Get These Mails Again' }).press('Enter');
  await expectTitle(page, 'Our mails come again');
  await page.reload();
  await expectTitle(page, 'Our mails come again');
});

test('a link that is not ours has its message', async ({ page, complaints }) => {
  complaints.expect(refusal(CALL));
  for (const address of ['/unsubscribe', '/unsubscribe?t=abc']) {
    await page.goto(address);
    await expectTitle(page, 'This link is not complete');
  }
  await look(page, 'unsubscribe-no-link');
  await page.goto(`/unsubscribe?t=${'A'.repeat(43)}`);
  await page.getByRole('button', { name: 'Unsubscribe' }).click();
  await expectTitle(page, 'This link is not complete');
});

test('the button works in a browser that runs no scripts', async ({
  browser,
  contextOptions,
  practice,
  sandbox,
}) => {
  const { email } = newPerson('Padma');
  await askForGuide(practice.url, email, 1);
  const link = linkOf(await sandbox.mail(email, /meditation guide/i));
  // Its console is not watched: it complains of every script that it does not run.
  const context = await browser.newContext({ ...contextOptions, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('button', { name: 'Unsubscribe' }).click();
  await expect(page.getByText('You will get no more mails of this kind')).toBeVisible();
  await context.close();
});
