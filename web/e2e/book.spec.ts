/** /book: from the free times to a session that was paid on the provider's own page. */
import type { Page } from '@playwright/test';
import {
  acceptButton,
  BOOK,
  COMPLETED,
  chooseSlot,
  giveConsent,
  NOTES,
  payInTab,
  proceed,
  SIGNATURE,
} from './support/book';
import { expectSizes } from './support/ease';
import { bookingOf, expectStep, orderOf, payByCard } from './support/flow';
import { expectSome } from './support/lists';
import { newPerson, type Person, signInByCode, signUpQuietly } from './support/people';
import { expect, expectToast, test } from './support/test';

function seeStep(page: Page, name: string): Promise<void> {
  return expectSizes(page, name, page.getByRole('main'));
}

function fullName({ firstName, lastName }: Person): string {
  return `${firstName} ${lastName}`;
}

/** From the calendar to the details, signed in already. */
async function toDetails(page: Page, person: Person): Promise<void> {
  await page.goto(BOOK);
  await chooseSlot(page);
  await giveConsent(page, fullName(person), person.email);
  await expectStep(page, 'Booking Details');
}

/** What every storage of this tab holds. */
function kept(page: Page): Promise<string> {
  return page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
}

test('a visitor agrees, signs in, pays in another tab and is confirmed @phone', async ({
  page,
  practice,
  sandbox,
}) => {
  const person = newPerson('Asha');
  await page.goto(BOOK);
  await seeStep(page, 'book-start');
  await chooseSlot(page);
  await expectStep(page, 'Consent to Online Session');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(page.getByRole('listitem').filter({ hasText: 'Liability' })).toBeVisible();
  await expect(acceptButton(page)).toBeDisabled();
  await seeStep(page, 'book-consent');
  await giveConsent(page, fullName(person), person.email);

  await expectStep(page, 'Sign In Required');
  await expect(page).toHaveURL(/returned=true/);
  await seeStep(page, 'book-sign-in');
  expect(await kept(page)).not.toContain(SIGNATURE);
  await expect(page.getByLabel('Your name')).toHaveValue(fullName(person));
  await signInByCode(page, sandbox, person);

  await expectStep(page, 'Booking Details');
  await expect(page.getByLabel('Phone')).toHaveValue(person.phone);
  await page.getByLabel('Special requests').fill(NOTES);
  await seeStep(page, 'book-details');
  const tab = await proceed(page);
  await expect(tab).toHaveURL(new RegExp(`^${practice.sandboxUrl}/l/`));
  expect(await tab.evaluate(() => window.opener)).toBeNull();
  await expect(page.getByText('A payment window has opened in a new tab')).toBeVisible();
  await seeStep(page, 'book-payment');
  expect(await kept(page)).not.toContain(NOTES);

  await page.getByRole('button', { name: COMPLETED }).click();
  await expect(page.getByText('We have not seen your payment yet')).toBeVisible();
  await payInTab(tab, payByCard);
  await tab.close();

  // The money was reported meanwhile, so the page has gone on by itself, or goes on at a press.
  await expectStep(page, 'Booking Confirmed!');
  await expectToast(page, 'Follow-up Email Scheduled');
  await expectToast(page, 'Email Sent!');
  const main = page.getByRole('main');
  for (const said of [
    'General Consultation',
    person.email,
    `A confirmation email was sent to ${person.email}.`,
    'Your meeting link is included.',
    'Please join 5 minutes early.',
    'Follow-up Email Scheduled',
    'Your session is in our calendar',
  ]) {
    await expectSome(main.getByText(said, { exact: true }));
  }
  const link = page.getByRole('link', { name: /^Save Meeting Link/ });
  await expect(link).toHaveAttribute('href', /^\/join\/bkg_[0-9a-f]{32}$/);
  await seeStep(page, 'book-confirmed');
  const mail = await sandbox.mail(person.email, /^Your session is confirmed/);
  expect(mail.text).toMatch(/\/join#key=[\w-]{43}/);
  const stored = await page.evaluate(() => [
    ...Object.keys(sessionStorage),
    ...Object.keys(localStorage),
  ]);
  for (const key of ['selectedService', 'selectedDateTime', 'paymentLinkId', 'heldBooking']) {
    expect(stored).not.toContain(key);
  }

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Add to calendar' }).click();
  expect((await download).suggestedFilename()).toMatch(/\.ics$/);
  await page.getByRole('link', { name: 'Return to Home' }).click();
  await expect(page).toHaveURL(`${practice.url}/`);
});

test('a payment page that ended is followed by another one, whose money the button asks for', async ({
  page,
  practice,
  sandbox,
}) => {
  const person = newPerson('Bhavna');
  await signUpQuietly(page, practice.url, person);
  await toDetails(page, person);
  await (await proceed(page)).close();
  for (const becomes of ['expired', 'cancelled'] as const) {
    const link = await orderOf(page);
    await sandbox.endLink(link, becomes);
    await page.getByRole('button', { name: COMPLETED }).click();
    await expect(page.getByText('Payment was cancelled or expired')).toBeVisible();
    await expect.poll(() => orderOf(page)).not.toBe(link);
  }
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: /^Open it again/ }).click();
  await (await opened).close();
  // Nothing is reported of this payment: the button asks the provider.
  await sandbox.sendWebhooks(false);
  try {
    await sandbox.payLink(await orderOf(page));
    await page.getByRole('button', { name: COMPLETED }).click();
    await expectStep(page, 'Booking Confirmed!');
  } finally {
    await sandbox.sendWebhooks(true);
  }
});

test('reload, back, a second tab and a closed browser lose nothing', async ({ page, practice }) => {
  const person = newPerson('Chitra');
  await signUpQuietly(page, practice.url, person);
  await toDetails(page, person);
  await page.getByLabel('Phone').fill('98765 00000');
  await page.reload();
  // The signature is in no storage, so it is asked for again; the rest is still there.
  await expectStep(page, 'Consent to Online Session');
  await expect(page.getByLabel('Full name')).toHaveValue(fullName(person));
  await expect(page.getByLabel('Signature')).toHaveValue('');
  await giveConsent(page, fullName(person), person.email);
  await expectStep(page, 'Booking Details');
  await expect(page.getByLabel('Phone')).toHaveValue('98765 00000');
  await page.getByLabel('Special requests').fill(NOTES);
  await (await proceed(page)).close();
  const bookingId = bookingOf(page);

  await page.reload();
  await expectStep(page, 'Complete Your Payment');
  const pay = { name: /^Open the Payment Page/ };
  await expect(page.getByRole('link', pay)).toHaveAttribute('target', '_blank');
  const second = await page.context().newPage();
  await second.goto(`/book?b=${bookingId}`);
  await expectStep(second, 'Complete Your Payment');
  await second.close();

  // Back is a step back, and going on again is the same booking.
  await page.goBack();
  await expectStep(page, 'Booking Details');
  await expect(page.getByLabel('Special requests')).toHaveValue(NOTES);
  await page.goForward();
  await expectStep(page, 'Complete Your Payment');
  expect(bookingOf(page)).toBe(bookingId);

  // A browser that was closed has no history; the first view leads back to the held time.
  await page.goto('/book');
  await page.getByRole('button', { name: 'Go On to Payment' }).click();
  await expectStep(page, 'Complete Your Payment');
  expect(bookingOf(page)).toBe(bookingId);
});

test('a client who has agreed is not asked again, and can withdraw as easily', async ({
  page,
  practice,
}) => {
  const person = newPerson('Falguni');
  await signUpQuietly(page, practice.url, person);
  await toDetails(page, person);
  await (await proceed(page)).close();

  await page.goto(BOOK);
  await chooseSlot(page);
  await expectStep(page, 'Booking Details');

  await page.goto('/consent');
  await expect(page.getByText(SIGNATURE)).toBeVisible();
  await seeStep(page, 'consent-in-force');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download Consent' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^consent-\d{4}-\d{2}-\d{2}\.txt$/);
  await page.getByRole('button', { name: 'Withdraw Consent' }).click();
  await expect(page.getByRole('dialog')).toContainText('are not cancelled by this');
  await page.getByRole('button', { name: 'Yes, withdraw it' }).click();
  await expect(page.getByText('You have withdrawn this consent')).toBeVisible();

  await page.goto(BOOK);
  await chooseSlot(page);
  await expectStep(page, 'Consent to Online Session');
  await expect(page.getByText('You withdrew your consent')).toBeVisible();
});
