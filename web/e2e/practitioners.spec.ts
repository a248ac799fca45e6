/** A practice of two practitioners: the choice between them, from a service's page to the session. */
import { rmSync } from 'node:fs';
import type { Page } from '@playwright/test';
import {
  agree,
  chooseTime,
  expectConfirmed,
  expectReady,
  expectStep,
  openCheckout,
  payByCard,
  takeOtherTime,
  toPayment,
} from './support/flow';
import { expectSome } from './support/lists';
import { newPerson, signUpQuietly } from './support/people';
import { Practice, startPractice } from './support/practice';
import { expect, ready, test } from './support/test';
import { practiceOfTwo } from './support/two-practitioners';
import { refusal } from './support/watch';

const CALENDAR = '/booking-flow?service=general-consultation&step=calendar-terms';

function choice(page: Page) {
  return page.getByRole('group', { name: 'With whom?' });
}

function chip(page: Page, name: string) {
  return choice(page).getByRole('radio', { name });
}

/** What the address says of the practitioner. */
function wanted(page: Page): string | null {
  return new URL(page.url()).searchParams.get('practitioner');
}

/** The service's page: times of anyone, then of one, which goes along to the booking. */
async function chooseOnTheServicesPage(page: Page): Promise<void> {
  await page.goto('/service/general-consultation');
  await expect(chip(page, 'Anyone')).toBeChecked();
  await expect(choice(page).getByRole('radio')).toHaveCount(3);
  await chip(page, 'Ravi Menon').check();
  await expect(page).toHaveURL(/practitioner=ravi/);
  const way = '/booking-flow?service=general-consultation&practitioner=ravi&slot=';
  await expectSome(page.locator(`#times a[href^="${way}"]`));
  await expect(page.getByRole('link', { name: /^Book & Pay Now/ })).toHaveAttribute(
    'href',
    '/booking-flow?service=general-consultation&practitioner=ravi',
  );
  await page.reload();
  await expect(chip(page, 'Ravi Menon')).toBeChecked();
  await chip(page, 'Anyone').check();
  await expect.poll(() => wanted(page)).toBeNull();
  // What only one of them gives leaves nothing to choose.
  await page.goto('/service/karmic-healing');
  await expectSome(page.locator('#times a[href*="slot="]'));
  await expect(choice(page)).toHaveCount(0);
}

/** The calendar of the booking: the choice is in the address and survives a reload. */
async function bookWithRavi(page: Page): Promise<void> {
  await page.goto(CALENDAR);
  await expectStep(page, 'Book Your Session');
  await expect(chip(page, 'Anyone')).toBeChecked();
  await chip(page, 'Ravi Menon').check();
  const slot = await chooseTime(page);
  expect(wanted(page)).toBe('ravi');
  await page.reload();
  await expect(chip(page, 'Ravi Menon')).toBeChecked();
  await expect(page.getByTestId('times').locator('input:checked')).toHaveValue(slot);
  // Another practitioner's times are others: a time is chosen again.
  await chip(page, 'Meera Joshi').check();
  await expect(page).not.toHaveURL(/slot=/);
  await chip(page, 'Ravi Menon').check();
  await chooseTime(page);
  await agree(page);
  await toPayment(page);
  await expect(page.getByText('Ravi Menon')).toBeVisible();
  await expectReady(page);
  expect(page.url()).not.toContain('ravi');
  await page.getByRole('main').getByRole('button', { name: 'Back' }).click();
  await expectStep(page, 'Book Your Session');
  await expect(chip(page, 'Ravi Menon')).toBeChecked();
  await agree(page);
  await toPayment(page);
  await payByCard(await openCheckout(page));
  await expectConfirmed(page);
  await expectSome(page.getByText('Ravi Menon'));
}

/** Anyone: the practice chooses, and says whom; at no time at which the client has a session. */
async function bookAnyone(page: Page): Promise<void> {
  await page.goto(CALENDAR);
  await chooseTime(page);
  await agree(page);
  await page.getByRole('button', { name: 'Continue to Payment' }).click();
  await expect(page.getByRole('alert')).toContainText('You have another session at this time');
  await takeOtherTime(page);
  await toPayment(page);
  await expect(page.getByText(/^(Meera Joshi|Ravi Menon)$/)).toBeVisible();
}

test('a client chooses between two practitioners, or takes anyone', async ({
  browser,
  complaints,
  contextOptions,
  viewport,
}, { project }) => {
  test.setTimeout(240_000);
  const folder = practiceOfTwo(test.info().outputPath('practice'));
  const own = await startPractice(`practitioners-${project.name}`, { PRACTICE_DIR: folder });
  const practice = new Practice(own.data);
  const context = await browser.newContext({ ...contextOptions, baseURL: practice.url, viewport });
  complaints.alsoOf(context);
  await ready(context);
  // The client asks for a second session at the time of the first.
  complaints.expect(refusal('/rpc/booking.v1.BookingService/RequestBooking'));
  try {
    const page = await context.newPage();
    await chooseOnTheServicesPage(page);
    await signUpQuietly(page, practice.url, newPerson('Asha'));
    await bookWithRavi(page);
    await bookAnyone(page);
  } finally {
    await context.close();
    await own.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
