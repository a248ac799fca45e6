/** A booking that staff make by phone: agreed to and paid on its page, and adopted by an account. */
import type { Page } from '@playwright/test';
import { SIGNATURE } from './support/book';
import { bookByPhone, PAGE_ADDRESS } from './support/by-phone';
import { expectConfirmed, expectStep, payByUpi } from './support/flow';
import { newPerson, type Person, signUpQuietly } from './support/people';
import { codeOf, type Sandbox } from './support/sandbox';
import { expect, test } from './support/test';
import { refusal } from './support/watch';

/** The declaration and the terms, and the button that opens the payment's tab. */
async function agreeAndPay(
  page: Page,
  sandbox: Sandbox,
  { firstName, lastName, email }: Person,
): Promise<Page> {
  const main = page.getByRole('main');
  const pay = page.getByRole('button', { name: /^Agree & Pay ₹500/ });
  await expect(pay).toBeDisabled();
  await main.getByLabel('Full name').fill(`${firstName} ${lastName}`);
  await main.getByLabel('Email').fill(email);
  await main.getByLabel('Signature').fill(SIGNATURE);
  await main.locator('input[name="consentAccepted"]').check();
  await main.locator('input[name="agreement"]').check();
  // Staff have seen the address of the page: without the code of the mail it signs nothing.
  await expect(pay).toBeDisabled();
  await page.getByRole('button', { name: 'Send me a code' }).click();
  const mail = await sandbox.mail(email, /^Your code to sign the consent/);
  await page.getByLabel('6-digit code').fill(codeOf(mail));
  const opened = page.context().waitForEvent('page');
  await pay.click();
  return opened;
}

async function adopt(page: Page, sandbox: Sandbox, { email }: Person): Promise<void> {
  await page.getByRole('button', { name: 'Add It to My Account' }).click();
  await page.getByRole('button', { name: 'Send me a code' }).click();
  await page
    .getByLabel('Code from our mail')
    .fill(codeOf(await sandbox.mail(email, /^Confirm your e-mail address/)));
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByRole('link', { name: 'See It in Your Account' }).click();
}

test('a client on the phone pays on a page and finds the booking in an account', async ({
  page,
  practice,
  sandbox,
  complaints,
}) => {
  // The account that adopts the booking ends the key of its page.
  complaints.expect(refusal('/rpc/booking.v1.PaymentPageService/GetPaymentPage'));
  const asha = newPerson('Asha');
  const { bookingId, address } = await bookByPhone(practice, asha);
  const mail = await sandbox.mail(asha.email, /^Your time is held until/);
  // The mail has a key of its own, which staff never see.
  const mailed = PAGE_ADDRESS.exec(mail.text)?.[0] ?? '';
  expect(mailed).not.toBe('');
  expect(mailed).not.toBe(address);
  await page.goto(mailed);
  await expectStep(page, 'Confirm Your Booking');
  await expect(page.getByRole('main')).toContainText('Welcome, Asha.');
  await expect(page.getByRole('main')).not.toContainText(asha.email);
  // Who has the client's mail signs with its key alone; staff have seen the other one.
  await expect(page.getByRole('heading', { name: 'Declaration' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send me a code' })).toHaveCount(0);
  await page.goto(address);
  await expect(page.getByRole('button', { name: 'Send me a code' })).toBeVisible();
  const tab = await agreeAndPay(page, sandbox, asha);
  await expectStep(page, 'Complete Your Payment');
  await tab.getByRole('button', { name: 'Pay ₹500 now' }).click();
  await payByUpi(tab.frameLocator('iframe[title="Secure checkout"]'));
  // The provider leads back to the page, also without a sign-in.
  await expectStep(tab, 'Booking Confirmed!');
  await tab.close();
  // The page that waits reads by itself that it is paid.
  await expectStep(page, 'Booking Confirmed!');
  const session = page.getByRole('link', { name: 'Join', exact: true });
  await expect(session).toHaveAttribute('href', /^\/join#key=/);
  await sandbox.mail(asha.email, /^Your session is confirmed/);

  await signUpQuietly(page, practice.url, asha);
  await page.goto('/pay/booking');
  await expectStep(page, 'Booking Confirmed!');
  await adopt(page, sandbox, asha);
  await page.waitForURL(new RegExp(`b=${bookingId}`));
  await expectConfirmed(page);
  await page.getByRole('link', { name: 'Receipt' }).click();
  await expect(page.getByRole('main')).toContainText('₹500');
});

test('a wrong address says so, and staff send a new one, which ends that of before', async ({
  page,
  practice,
  sandbox,
  complaints,
}) => {
  complaints.expect(refusal('/rpc/booking.v1.PaymentPageService/GetPaymentPage'));
  const dev = newPerson('Dev');
  const { bookingId, address } = await bookByPhone(practice, dev);
  await page.goto(`${address.slice(0, -1)}${address.endsWith('A') ? 'E' : 'A'}`);
  await expect(page.getByText('This address is not complete')).toBeVisible();
  const renewed = PAGE_ADDRESS.exec(practice.staff('send-link', bookingId))?.[0] ?? '';
  expect(renewed).not.toBe(address);
  await expect.poll(async () => (await sandbox.inbox(dev.email)).length).toBeGreaterThanOrEqual(2);
  await page.goto('/');
  await page.goto(address);
  await page.getByRole('button', { name: 'Mail Me a New Link' }).click();
  await expect(page.getByText('Please look into your mail')).toBeVisible();
  expect(page.url()).not.toContain('key=');
  await expect.poll(async () => (await sandbox.inbox(dev.email)).length).toBeGreaterThanOrEqual(3);
});

test('a client who makes the account that the mail asks for finds the booking', async ({
  page,
  practice,
  sandbox,
  complaints,
}) => {
  complaints.expect(refusal('/rpc/booking.v1.BookingService/GetBooking'));
  // Payments hears of the booking's new owner a moment after the booking is shown.
  complaints.expect(refusal('/rpc/payments.v1.PaymentsService/CheckPayment'));
  const mira = newPerson('Mira');
  const { bookingId } = await bookByPhone(practice, mira);
  const { text } = await sandbox.mail(mira.email, /^Your time is held until/);
  const address = /https?:\/\/\S+\/sign-up\?return=[\w%-]+/.exec(text)?.[0] ?? '';
  expect(address).toContain(bookingId);
  // With a password, so that the account's address is not proved yet.
  await signUpQuietly(page, practice.url, mira);
  await page.goto(address);
  await page.waitForURL(new RegExp(`b=${bookingId}`));
  await expectStep(page, 'Booking Not Found');
  await page.getByRole('button', { name: 'Send me a code' }).click();
  await page
    .getByLabel('Code from our mail')
    .fill(codeOf(await sandbox.mail(mira.email, /^Confirm your e-mail address/)));
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Booking Not Found' })).toHaveCount(0);
  await expect(page.getByRole('main')).toContainText('General Consultation');
});
