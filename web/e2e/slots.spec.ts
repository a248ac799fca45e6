/** Several people and the same time, and the steps as places that one can go back to. */
import {
  agree,
  CALENDAR,
  chooseTime,
  expectReady,
  expectStep,
  slotOf,
  takeSuggestion,
  toPayment,
} from './support/flow';
import { expectSome } from './support/lists';
import { newPerson, signUpQuietly } from './support/people';
import { expect, test } from './support/test';
import { refusal } from './support/watch';

test('of two people who want the same time, one hears at once that it is taken', async ({
  page,
  otherPage,
  complaints,
  practice,
}) => {
  await signUpQuietly(page, practice.url, newPerson('Rohan'));
  await signUpQuietly(otherPage, practice.url, newPerson('Sara'));
  await page.goto(CALENDAR);
  const wanted = await chooseTime(page);
  await otherPage.goto(`${CALENDAR}&slot=${wanted}`);
  await expectStep(otherPage, 'Book Your Session');
  await otherPage.getByLabel('Anything we should know?').fill('Mornings are hard for me.');
  await otherPage.getByLabel('First name').fill('Sarah');
  await otherPage.getByLabel('In person').check();
  await agree(otherPage);
  await expect(otherPage.getByText('Ready to book!')).toBeVisible();

  await agree(page);
  await toPayment(page);

  complaints.expect(refusal('/rpc/booking.v1.BookingService/RequestBooking'));
  await otherPage.getByRole('button', { name: 'Continue to Payment' }).click();
  const told = otherPage.getByRole('status').filter({ hasText: 'was just taken' });
  await expect(told).toBeInViewport();
  await expectSome(otherPage.getByTestId('times').getByText('Taken'));
  await expect(otherPage.getByLabel('Anything we should know?')).toHaveValue(
    'Mornings are hard for me.',
  );
  await expect(otherPage.getByLabel('First name')).toHaveValue('Sarah');
  await expect(otherPage.getByLabel('In person')).toBeChecked();
  await expect(otherPage.getByLabel('I agree to these simple terms')).toBeChecked();

  await takeSuggestion(told);
  await expect(told).toBeHidden();
  expect(slotOf(otherPage)).not.toBe(wanted);
  await toPayment(otherPage);
  await expect(otherPage.getByText('In person')).toBeVisible();
});

test('every step survives a reload, and back is a step back', async ({ page, practice }) => {
  await signUpQuietly(page, practice.url, newPerson('Tara'));
  await page.goto('/booking-flow?service=general-consultation&step=auth');
  await expectStep(page, "You're Signed In!");
  await page.reload();
  await expectStep(page, "You're Signed In!");
  await page.getByRole('button', { name: 'Continue to Payment' }).click();
  await expectStep(page, 'Book Your Session');

  const slot = await chooseTime(page);
  await page.getByLabel('Last name').fill('Iyer');
  await page.reload();
  await expectStep(page, 'Book Your Session');
  expect(slotOf(page)).toBe(slot);
  await expect(page.getByLabel('Last name')).toHaveValue('Iyer');
  await expect(page.getByTestId('times').locator('input:checked')).toHaveValue(slot);
  await agree(page);
  await toPayment(page);
  await expectReady(page);
  const kept = await page.evaluate(() => ({ ...sessionStorage }));
  expect(kept.selectedService).toContain('General Consultation');
  expect(kept.selectedDateTime).toBe(slot);
  expect(kept.paymentLinkId).toMatch(/^order_/);
  await page.reload();
  await expectStep(page, 'Complete Your Payment');
  await expectReady(page);

  await page.goBack();
  await expectStep(page, 'Book Your Session');
  await expect(page.getByText('Your time is kept until')).toBeVisible();
  await page.goForward();
  await expectStep(page, 'Complete Your Payment');
  await page.getByRole('main').getByRole('button', { name: 'Back' }).click();
  await expectStep(page, 'Book Your Session');
  expect(slotOf(page)).toBe(slot);
});
