/** The free consultation: from its invitation to the mail, for an address that is proved on the way. */
import type { Page } from '@playwright/test';
import { agree, bookingOf, chooseTime, expectConfirmed, expectStep } from './support/flow';
import { newPerson, proveAddress, signUpQuietly } from './support/people';
import { expect, test } from './support/test';
import { refusal } from './support/watch';

const FLOW = '/booking-flow?service=free-consultation';

/** Its pages invite to it; the list of services, the quiz and the choices of reviews don't know it. */
async function comeFromAPage(page: Page): Promise<void> {
  for (const path of ['/contact', '/service/karmic-healing', '/faq']) {
    await page.goto(path);
    const card = page.getByRole('region', { name: 'Free Consultation' });
    await expect(card.getByRole('link', { name: 'Choose a time' })).toHaveAttribute('href', FLOW);
  }
  await page.goto('/services');
  await expect(page.locator('a[href="/service/free-consultation"]')).toHaveCount(0);
  await page.goto('/faq');
  const card = page.getByRole('region', { name: 'Free Consultation' });
  await card.getByRole('link', { name: 'Choose a time' }).click();
  await expectStep(page, 'Book Your Session');
}

const book = (page: Page) => page.getByRole('button', { name: 'Book This Time' });

test('a client proves an address and has one free consultation', async ({
  page,
  practice,
  sandbox,
  complaints,
}) => {
  // An address that is not proved, and a second session.
  complaints.expect(refusal('/rpc/booking.v1.BookingService/RequestBooking'));
  const asha = newPerson('Asha');
  await signUpQuietly(page, practice.url, asha);
  await comeFromAPage(page);
  await chooseTime(page);
  await agree(page);
  await expect(page.getByRole('main')).not.toContainText('₹');
  await book(page).click();
  await proveAddress(page, sandbox, asha);
  await expectConfirmed(page);
  const booked = bookingOf(page);
  await expect(page.getByRole('main')).not.toContainText(/₹|refund/);
  await expect(page.getByRole('link', { name: 'Receipt' })).toHaveCount(0);

  const mail = await sandbox.mail(asha.email, /^Your session is confirmed/);
  expect(mail.text).not.toMatch(/₹|paid|refund/);
  expect(mail.attachments.map(({ filename }) => filename)).toEqual(['session.ics']);
  const { orders } = await sandbox.book();
  expect(orders.filter(({ receipt }) => receipt === booked)).toEqual([]);

  // Once is once, and a reload of the confirmation is the same session.
  await page.reload();
  await expectConfirmed(page);
  await page.goto(FLOW);
  await chooseTime(page);
  await agree(page);
  await book(page).click();
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('You have had this session already');
  await expect(alert.getByRole('button', { name: 'Try again' })).toHaveCount(0);
});
