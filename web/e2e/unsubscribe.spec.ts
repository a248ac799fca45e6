/** Ending mails that are not about a booking, by the link of a real one. */
import type { Page } from '@playwright/test';
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

/** Sends a message, of whose arrival a mail tells. */
async function writeTo(site: string, email: string): Promise<void> {
  const message = {
    name: 'Nandi Verma',
    email,
    message: 'Is all well?',
    idempotencyKey: `message-of-${email}`,
  };
  const answer = await fetch(
    `${site}/rpc/notifications.v1.NotificationsService/SendContactMessage`,
    {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(message),
    },
  );
  expect(answer.status).toBe(200);
}

async function expectTitle(page: Page, title: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
}

test('opening the link ends nothing, pressing does, and can be undone', async ({
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
  await expect(page).toHaveURL(/:\d+\/unsubscribe$/);
  await expect(page.locator('meta[name="robots"]')).toHaveAttribute('content', 'noindex');
  await askForGuide(practice.url, email, 2);
  await expect.poll(() => guides(sandbox, email)).toBe(2);

  await test.step('the page says that the server is away, and the link stays valid', async () => {
    complaints.expect(refusal(CALL));
    const mails = practice.keepDown('notifications');
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await expect(page.getByRole('alert')).toContainText('Pressing twice does no harm.', {
      timeout: 60_000,
    });
    await mails.release();
  });

  await test.step('one press ends the mails, and a reload says so still', async () => {
    await page.reload();
    await page.getByRole('button', { name: 'Unsubscribe' }).press('Enter');
    await expectTitle(page, 'You are unsubscribed');
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
    await askForGuide(practice.url, email, 3);
    const other = newPerson('Om').email;
    await askForGuide(practice.url, other, 1);
    await sandbox.mail(other, /meditation guide/i);
    expect(await guides(sandbox, email)).toBe(2);
    await page.reload();
    await expectTitle(page, 'You are unsubscribed');
  });

  await test.step('it is undone, also by an old link', async () => {
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectTitle(page, 'Our mails come again');
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
    // The address has had its guides for a day.
    await writeTo(practice.url, email);
    await sandbox.mail(email, /^We have your message/);
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await expectTitle(page, 'You are unsubscribed');
    // An old link does not say whether it was used, so it offers both ways.
    await page.goto(link);
    await expectTitle(page, 'Unsubscribe');
    await page.getByRole('button', { name: 'Get These Mails Again' }).press('Enter');
    await expectTitle(page, 'Our mails come again');
  });
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
