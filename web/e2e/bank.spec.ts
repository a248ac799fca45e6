/** Banks that ask the payer on a page of their own, and what the provider loads beside its frame. */
import type { FrameLocator, Page } from '@playwright/test';
import {
  expectConfirmed,
  expectStep,
  hold,
  leaveToPay,
  openCheckout,
  orderOf,
  payByCard,
} from './support/flow';
import { newPerson, signUpQuietly } from './support/people';
import { until } from './support/practice';
import { expect, test } from './support/test';

const CHROME_ON_IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/138.0.7204.156 Mobile/15E148 Safari/604.1';

/** The bank's window, as it opens by a press on the checkout's button. */
async function openBank(page: Page, checkout: FrameLocator): Promise<Page> {
  await checkout.getByRole('button', { name: 'Card whose bank asks' }).click();
  const opened = page.waitForEvent('popup');
  await checkout.getByRole('button', { name: 'Pay ₹500' }).click();
  const bank = await opened;
  await expect(bank.getByRole('heading', { name: 'Your bank' })).toBeVisible();
  return bank;
}

/** The bank closes its own window once it has an answer. */
async function answer(bank: Page, button: string): Promise<void> {
  const closed = bank.waitForEvent('close');
  await bank.getByRole('button', { name: button }).click();
  await closed;
}

test('a bank asks in a window of its own, and may say no first', async ({
  page,
  practice,
  sandbox,
}) => {
  await signUpQuietly(page, practice.url, newPerson('Tara'));
  await hold(page);
  const checkout = await openCheckout(page);
  const order = await orderOf(page);
  // Script, frame, risk script and beacons are four origins; the page lets each of them through.
  expect((await sandbox.beacons(order, 2)).sort()).toEqual(['checkout', 'risk']);

  await answer(await openBank(page, checkout), 'Decline');
  await expect(checkout.getByRole('alert')).toContainText('Your card was declined');

  const bank = await openBank(page, checkout);
  await answer(bank, 'Approve');
  await expectConfirmed(page);
  const statuses = (await sandbox.payments(order)).map(({ status }) => status);
  expect(statuses.sort()).toEqual(['captured', 'failed']);
});

test('the closed window of a bank is no dead end, and its late yes is paid back', async ({
  page,
  practice,
  sandbox,
}) => {
  await signUpQuietly(page, practice.url, newPerson('Uma'));
  await hold(page);
  const checkout = await openCheckout(page);
  const order = await orderOf(page);
  await (await openBank(page, checkout)).close();
  await expect(checkout.getByRole('alert')).toContainText('The window of your bank was closed.');
  const [waiting] = await sandbox.payments(order);
  expect(waiting?.status).toBe('created');

  await checkout.getByRole('button', { name: 'Card that works' }).click();
  await payByCard(checkout);
  await expectConfirmed(page);
  await sandbox.decide(waiting?.id ?? '', true);
  const ends = await until(async () => {
    const payments = await sandbox.payments(order);
    return payments.some(({ status }) => status === 'refunded') ? payments : undefined;
  });
  expect(ends.map(({ status }) => status).sort()).toEqual(['captured', 'refunded']);
  await page.reload();
  await expectConfirmed(page);
});

test.describe('in a browser that opens no windows', () => {
  test.use({ userAgent: CHROME_ON_IPHONE });

  test('the bank takes the place of the page, and leads back @phone-only', async ({
    page,
    practice,
  }) => {
    await signUpQuietly(page, practice.url, newPerson('Veda'));
    await hold(page);
    for (const button of ['Decline', 'Approve']) {
      await leaveToPay(page);
      await page.getByRole('button', { name: 'Card whose bank asks' }).click();
      await page.getByRole('button', { name: 'Pay ₹500' }).click();
      await expect(page.getByRole('heading', { name: 'Your bank' })).toBeVisible();
      await page.getByRole('button', { name: button }).click();
      if (button === 'Decline') await expectStep(page, 'Complete Your Payment');
    }
    await expectConfirmed(page);
  });
});
