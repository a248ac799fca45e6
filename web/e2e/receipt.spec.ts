/** The receipt of a real booking: read, printed, and kept from others. */
import type { Page } from '@playwright/test';
import { fitsTheWidth } from './support/look';
import { newPerson, signIn, signUpQuietly } from './support/people';
import { bookSession } from './support/rpc';
import { expect, test } from './support/test';
import { refusal } from './support/watch';

const BOOKING = '/rpc/booking.v1.BookingService/GetBooking';
const RECEIPTS = '/rpc/payments.v1.PaymentsService/ListReceipts';
const SERIAL = /SUK\/\d\d-\d\d\/\d{5}/;

function sheet(page: Page) {
  return page.getByRole('article', { name: 'Receipt' });
}

/** Words that would be printed although they are not on the receipt. */
function printedBeside(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found: string[] = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!node.textContent?.trim() || !parent?.checkVisibility()) continue;
      // Text for screen readers is one pixel wide.
      if (parent.closest('article') || parent.getBoundingClientRect().width <= 1) continue;
      found.push(node.textContent.trim());
    }
    return found;
  });
}

test('a paid booking has a receipt, on the screen, on paper and by mail', async ({
  page,
  practice,
  sandbox,
}) => {
  const person = newPerson('Roma');
  const token = await signUpQuietly(page, practice.url, person);
  const bookingId = await bookSession(practice, sandbox, { person, token });
  await page.goto(`/booking-flow?service=general-consultation&step=confirmed&b=${bookingId}`);
  await page.getByRole('link', { name: 'Receipt' }).click();
  await expect(page).toHaveURL(new RegExp(`/receipt\\?b=${bookingId}$`));
  await expect(sheet(page)).toBeVisible();
  const serial = SERIAL.exec((await sheet(page).textContent()) ?? '')?.[0] ?? '';
  expect(serial).not.toBe('');
  await expect(page).toHaveTitle(new RegExp(`Receipt ${serial}`));
  await expect(page.locator('meta[name="robots"]')).toHaveAttribute('content', 'noindex');
  // The reference is the one that the mails say.
  const reference = bookingId.slice(-8).toUpperCase();
  for (const words of ['Sukoon', 'Arera Colony', 'Roma Verma', 'General Consultation', reference]) {
    await expect(sheet(page)).toContainText(words);
  }
  await expect(sheet(page)).toContainText(/pay_\w+/);
  await expect(sheet(page).getByRole('row', { name: /Amount paid/ })).toContainText('₹500');

  await page.emulateMedia({ media: 'print' });
  expect(await printedBeside(page)).toEqual([]);
  await expect(sheet(page)).toBeVisible();
  // The colours of paper, whatever those of the screen are.
  await page.evaluate(() => document.documentElement.classList.add('dark'));
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
    'rgb(255, 255, 255)',
  );
  const paper = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  expect(paper.match(/\/Type \/Page\b/g)).toHaveLength(1);
  expect(paper).toMatch(/\/MediaBox \[0 0 59[45]\.?\d* 84[12]/);

  const mail = await sandbox.mail(person.email, /receipt/i);
  expect(mail.text).toContain(serial);
  expect(mail.text).toContain(reference);
  expect(mail.text).toContain(`/receipt?b=${bookingId}`);
});

test('a receipt fits a phone @phone-only @phone', async ({ page, practice, sandbox }) => {
  const person = newPerson('Uma');
  const token = await signUpQuietly(page, practice.url, person);
  const bookingId = await bookSession(practice, sandbox, { person, token });
  await page.goto(`/receipt?b=${bookingId}`);
  await expect(sheet(page)).toBeVisible();
  await fitsTheWidth(page);
  await page.emulateMedia({ media: 'print' });
  expect(await printedBeside(page)).toEqual([]);
});

test('a receipt is for its customer only', async ({
  page,
  otherPage,
  complaints,
  practice,
  sandbox,
}) => {
  const person = newPerson('Sana');
  const token = await signUpQuietly(page, practice.url, person);
  const bookingId = await bookSession(practice, sandbox, { person, token });
  const address = `/receipt?b=${bookingId}`;

  complaints.expect(refusal(BOOKING), refusal(RECEIPTS));
  await signUpQuietly(otherPage, practice.url, newPerson('Tara'));
  await otherPage.goto(address);
  await expect(otherPage.getByRole('heading', { name: 'Receipt not found' })).toBeVisible();
  await expect(otherPage.getByRole('main')).not.toContainText(SERIAL);

  // Signing in after a sign-out leads back to the same place.
  await page.goto(address);
  await expect(sheet(page)).toBeVisible();
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await expect(sheet(page)).toBeHidden();
  await page.getByRole('main').getByRole('link', { name: 'Sign In' }).click();
  await signIn(page, person);
  await expect(sheet(page)).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`/receipt\\?b=${bookingId}$`));
});
