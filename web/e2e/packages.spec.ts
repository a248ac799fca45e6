/** A package: three dates are suggested, changed and paid for together. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import {
  agree,
  chooseTime,
  expectConfirmed,
  expectStep,
  openCheckout,
  payByCard,
  takeOtherTime,
  toPayment,
} from './support/flow';
import { expectSome } from './support/lists';
import { fitsTheWidth } from './support/look';
import { newPerson, signUpQuietly } from './support/people';
import { expect, test } from './support/test';

const PRICE = 'Pay ₹4,500';
/** A service of which three sessions do not cost less one by one. */
const CALENDAR = '/booking-flow?service=mental-health';

const count = (page: Page) => page.getByRole('group', { name: 'How many sessions?' });
const dates = (page: Page) => page.getByRole('group', { name: 'Your three dates' });
const place = (page: Page, number: number) =>
  dates(page).getByRole('radio', { name: new RegExp(`^Session ${number}`) });

/** The starts in the address, in their places. */
function slotsOf(page: Page): string[] {
  return (new URL(page.url()).searchParams.get('slots') ?? '').split(',');
}

/** Weekly at one hour. */
async function suggest(page: Page): Promise<string[]> {
  await page.getByRole('button', { name: 'Suggest three' }).click();
  await expect(page.getByTestId('package-dates').getByRole('status')).toContainText('Suggested:');
  await expect(dates(page).getByText('Not chosen yet')).toHaveCount(0);
  const slots = slotsOf(page);
  expect(new Set(slots.map((slot) => slot.slice(11))).size).toBe(1);
  expect(new Set(slots.map((slot) => slot.slice(0, 10))).size).toBe(3);
  return slots;
}

/** The second date is changed; the others stay. */
async function change(page: Page, before: string[]): Promise<void> {
  await place(page, 2).check();
  const times = page.getByTestId('times').locator('input[type="radio"]');
  await expect(times.and(page.locator(':checked'))).toHaveValue(before[1] ?? '');
  const other = await takeOtherTime(page);
  await expect.poll(() => slotsOf(page)).toEqual([before[0], other, before[2]]);
}

test('a client chooses three dates, pays once and finds them again @phone', async ({
  page,
  practice,
  sandbox,
}) => {
  const asha = newPerson('Asha');
  await signUpQuietly(page, practice.url, asha);
  await page.goto(CALENDAR);
  await expectStep(page, 'Book Your Session');
  const first = await chooseTime(page);
  await count(page)
    .getByRole('radio', { name: /^Starter Package/ })
    .check();
  await expect(page.getByRole('main')).toContainText('3 sessions');
  // The time that was chosen stays the first one.
  await expect.poll(() => slotsOf(page)[0]).toBe(first);
  await page.getByRole('button', { name: 'Continue to Payment' }).click();
  await expectSome(page.getByText('Please choose three dates'));
  const suggested = await suggest(page);
  await change(page, suggested);
  await page.reload();
  await expect(dates(page).getByText('Not chosen yet')).toHaveCount(0);
  await agree(page);
  await expect(
    page.getByText(/^Starter Package, Mental Health Therapy, online, on .*₹4,500\.$/),
  ).toBeVisible();
  await fitsTheWidth(page);
  await toPayment(page);
  for (const label of ['Package', 'Session 1', 'Session 2', 'Session 3']) {
    await expect(page.getByRole('main').getByText(label, { exact: true })).toBeVisible();
  }
  // Until the payment the dates can be changed.
  await page.getByRole('main').getByRole('button', { name: 'Back' }).click();
  await expectStep(page, 'Book Your Session');
  await expect(place(page, 3)).toBeVisible();
  await agree(page);
  await toPayment(page);
  await payByCard(await openCheckout(page, PRICE, PRICE), PRICE);
  await expectConfirmed(page);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Add to calendar' }).click();
  const file = await readFile(await (await saved).path(), 'utf8');
  expect(file.match(/BEGIN:VEVENT/g)).toHaveLength(3);
  expect(new Set(file.match(/^UID:.*$/gm)).size).toBeGreaterThanOrEqual(3);
  await sandbox.mail(asha.email, /^Your sessions are confirmed/);
});
