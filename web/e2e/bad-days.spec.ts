/** A service is down: the page says so, keeps what was typed, and a retry works. */
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
import { newPerson, signIn, signUpQuietly } from './support/people';
import { expect, test } from './support/test';
import { refusal } from './support/watch';

/** What no page may ever show. */
const TRANSPORT =
  /connect error|ECONNREFUSED|\btcp\b|fetch failed|\[unavailable\]|status: |\b50[234]\b|\bgrpc\b/i;

test.beforeEach(async ({ sandbox }) => {
  await sandbox.clearFaults();
});

test('the payment provider is away', async ({ page, complaints, practice, sandbox }) => {
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

test('the booking desk is down', async ({ page, complaints, practice }) => {
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

test('the connection goes while a time is asked for', async ({ page, complaints, practice }) => {
  await signUpQuietly(page, practice.url, newPerson('Xenia'));
  await page.goto(CALENDAR);
  await chooseTime(page);
  await agree(page);
  complaints.expect(/ERR_INTERNET_DISCONNECTED/);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Continue to Payment' }).click();
  const told = page.getByRole('alert').filter({ hasText: 'You are offline' });
  await expect(told).toBeVisible();
  await look(page, 'step-2-offline');
  // It goes on without a press when the connection is back.
  await page.context().setOffline(false);
  await expectStep(page, 'Complete Your Payment');
  await expect(told).toHaveCount(0);
});

test('a session that is refused leads to signing in, and back to the time', async ({
  page,
  complaints,
  practice,
}) => {
  const person = newPerson('Vimala');
  await signUpQuietly(page, practice.url, person);
  await page.goto(CALENDAR);
  const slot = await chooseTime(page);
  await agree(page);
  complaints.expect(refusal('/rpc/booking.v1.BookingService/RequestBooking'));
  complaints.expect(refusal('/auth/v1/logout'));
  await page.route('**/booking.v1.BookingService/RequestBooking', (route) => {
    const headers = { ...route.request().headers(), authorization: 'Bearer of.nothing.known' };
    return route.continue({ headers });
  });
  await page.getByRole('button', { name: 'Continue to Payment' }).click();
  const told = page.getByRole('alert').filter({ hasText: 'Please sign in again' });
  await expect(told).toContainText(/please quote [0-9a-f]{8}\./);
  await expect(told.getByRole('button', { name: 'Try again' })).toHaveCount(0);
  await look(page, 'step-2-session-refused');
  await told.getByRole('button', { name: 'Sign In' }).click();
  await expectStep(page, 'Sign In');
  await signIn(page, person);
  await expectStep(page, 'Book Your Session');
  await expect(page.getByTestId('times').locator('input:checked')).toHaveValue(slot);
});
