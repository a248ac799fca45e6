/** A part is down: the page says so in words, keeps what was typed, and a retry works. */
import {
  agree,
  CALENDAR,
  chooseTime,
  expectConfirmed,
  expectReady,
  expectStep,
  hold,
  openCheckout,
  payByCard,
} from './support/flow';
import { look } from './support/look';
import { newPerson, signUpQuietly } from './support/people';
import { expect, test } from './support/test';
import { refusal } from './support/watch';

/** What nobody should ever read on a page. */
const TRANSPORT =
  /connect error|ECONNREFUSED|\btcp\b|fetch failed|\[unavailable\]|status: |\b50[234]\b|\bgrpc\b/i;

test.beforeEach(async ({ sandbox }) => {
  await sandbox.clearFaults();
});

test('the payment provider is away @phone', async ({ page, complaints, practice, sandbox }) => {
  await signUpQuietly(page, practice.url, newPerson('Wasim'));
  complaints.expect(refusal('/rpc/payments.v1.PaymentsService/StartPayment'));
  await sandbox.order({ target: 'orders', kind: 'drop', times: 0 });
  await hold(page);
  await expect(page.getByText('Failed to create order. Please try again.')).toBeVisible({
    timeout: 60_000,
  });
  await expect(page.getByRole('main')).not.toContainText(TRANSPORT);
  await look(page, 'step-3-no-order');
  await sandbox.clearFaults();
  await page.getByRole('button', { name: 'Try again' }).click();
  const checkout = await openCheckout(page);
  await payByCard(checkout);
  await expectConfirmed(page);
});

test('the till is down', async ({ page, complaints, practice }) => {
  await signUpQuietly(page, practice.url, newPerson('Yash'));
  complaints.expect(refusal('/rpc/payments.v1.PaymentsService/StartPayment'));
  const till = practice.keepDown('payments');
  await hold(page);
  await expect(page.getByText('Failed to create order. Please try again.')).toBeVisible({
    timeout: 60_000,
  });
  await expect(page.getByText('Nothing is lost.')).toBeVisible();
  await expect(page.getByRole('main')).not.toContainText(TRANSPORT);
  await till.release();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expectReady(page);
});

test('the booking desk is down @phone', async ({ page, complaints, practice }) => {
  await signUpQuietly(page, practice.url, newPerson('Zoya'));
  await page.goto(CALENDAR);
  await chooseTime(page);
  await page.getByLabel('Anything we should know?').fill('Please speak slowly.');
  await agree(page);

  complaints.expect(refusal('/rpc/booking.v1.BookingService/RequestBooking'));
  complaints.expect(refusal('/rpc/booking.v1.BookingService/ListSlots'));
  const desk = practice.keepDown('booking');
  await page.getByRole('button', { name: 'Continue to Payment' }).click();
  const told = page.getByRole('alert').filter({ hasText: 'This part is not available right now' });
  await expect(told).toBeVisible();
  await expect(page.getByRole('main')).not.toContainText(TRANSPORT);
  await look(page, 'step-2-desk-down');
  await expect(page.getByLabel('Anything we should know?')).toHaveValue('Please speak slowly.');
  await desk.release();
  await told.getByRole('button', { name: 'Try again' }).click();
  await expectStep(page, 'Complete Your Payment');
});
