/** A service is down: the page says so, keeps what was typed, and a retry works. */
import type { Page } from '@playwright/test';
import {
  agree,
  CALENDAR,
  chooseTime,
  expectConfirmed,
  expectReady,
  expectStep,
  openCheckout,
  payByCard,
} from './support/flow';
import { newPerson, signUpQuietly } from './support/people';
import { expect, test } from './support/test';
import { refusal } from './support/watch';

/** What no page may ever show. */
const TRANSPORT =
  /connect error|ECONNREFUSED|\btcp\b|fetch failed|\[unavailable\]|status: |\b50[234]\b|\bgrpc\b/i;

async function expectNoOrder(page: Page): Promise<void> {
  await expect(page.getByText('Failed to create order. Please try again.')).toBeVisible({
    timeout: 60_000,
  });
  await expect(page.getByRole('main')).not.toContainText(TRANSPORT);
}

test.beforeEach(async ({ sandbox }) => {
  await sandbox.clearFaults();
});

test('the booking desk is down, and then the payment provider', async ({
  page,
  complaints,
  practice,
  sandbox,
}) => {
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
  await expect(page.getByLabel('Anything we should know?')).toHaveValue('Please speak slowly.');
  await desk.release();

  complaints.expect(refusal('/rpc/payments.v1.PaymentsService/StartPayment'));
  await sandbox.order({ target: 'orders', kind: 'drop', times: 0 });
  await told.getByRole('button', { name: 'Try again' }).click();
  await expectStep(page, 'Complete Your Payment');
  await expectNoOrder(page);
  await sandbox.clearFaults();
  await page.getByRole('button', { name: 'Try again' }).click();
  const checkout = await openCheckout(page);
  await payByCard(checkout);
  await expectConfirmed(page);
});

test('the connection goes while a time is asked for, and then payments is down', async ({
  page,
  complaints,
  practice,
}) => {
  await signUpQuietly(page, practice.url, newPerson('Xenia'));
  await page.goto(CALENDAR);
  await chooseTime(page);
  await agree(page);
  complaints.expect(/ERR_INTERNET_DISCONNECTED/);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Continue to Payment' }).click();
  const told = page.getByRole('alert').filter({ hasText: 'You are offline' });
  await expect(told).toBeVisible();

  complaints.expect(refusal('/rpc/payments.v1.PaymentsService/StartPayment'));
  const payments = practice.keepDown('payments');
  // It goes on without a press when the connection is back.
  await page.context().setOffline(false);
  await expectStep(page, 'Complete Your Payment');
  await expect(told).toHaveCount(0);
  await expectNoOrder(page);
  await expect(page.getByText('Nothing is lost.')).toBeVisible();
  await payments.release();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expectReady(page);
});
