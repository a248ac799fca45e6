/** The steps of /book, as a person takes them. */
import type { FrameLocator, Locator, Page } from '@playwright/test';
import { agreeIfLate, expectStep, SERVICE } from './flow';
import { expect } from './test';

export const BOOK = `/book?service=${SERVICE}`;

/** A far time, whose consent needs no free time to be read. */
export const CONSENT = `${BOOK}&slot=2035-01-01T05:30:00Z&step=calendar-terms`;

export const COMPLETED = "I've Completed Payment - Confirm Booking";
export const SIGNATURE = 'A. Verma, signed';
export const NOTES = 'Mornings are hard for me.';

/** The free times in sight, of the chosen day. */
export function timesOf(page: Page): Locator {
  return page.locator('#times').getByRole('link', { name: / IST, / });
}

/** Chooses the last free time of the last day in sight, which other tests hardly take. */
export async function chooseSlot(page: Page): Promise<void> {
  const days = page.locator('#times').getByRole('button', { name: / free$/ });
  const free = days.and(page.locator('button:enabled'));
  await expect(free.first()).toBeVisible();
  const name = (await free.last().getAttribute('aria-label')) ?? '';
  const date = name.replace(/, \d+ free$/, '');
  await days.and(page.getByRole('button', { name: date })).click();
  // Until the day is drawn, the times of another one stand there.
  await timesOf(page).filter({ hasText: date }).last().click();
}

export function acceptButton(page: Page): Locator {
  return page.getByRole('button', { name: 'Accept & Continue to Payment' });
}

/** Fills in the declaration and accepts it; what an account fills in stays. */
export async function giveConsent(page: Page, name: string, email: string): Promise<void> {
  await expectStep(page, 'Consent to Online Session');
  const main = page.getByRole('main');
  const fullName = main.getByLabel('Full name');
  if ((await fullName.inputValue()) === '') await fullName.fill(name);
  const address = main.getByLabel('Email');
  if ((await address.inputValue()) === '') await address.fill(email);
  await main.getByLabel('Signature').fill(SIGNATURE);
  await main.getByRole('checkbox').check();
  await acceptButton(page).click();
}

/** Pays on the provider's page; the tab is led back to the practice's own page of the booking. */
export async function payInTab(
  tab: Page,
  pay: (checkout: FrameLocator) => Promise<void>,
  price = '₹500',
): Promise<void> {
  await tab.getByRole('button', { name: `Pay ${price} now` }).click();
  await pay(tab.frameLocator('iframe[title="Secure checkout"]'));
  await expectStep(tab, 'Booking Confirmed!');
}

/** From the details to the panel of the payment; the tab that opened. */
export async function proceed(page: Page): Promise<Page> {
  await expectStep(page, 'Booking Details');
  await agreeIfLate(page);
  const opened = page.context().waitForEvent('page');
  await page.getByRole('button', { name: 'Proceed to Payment' }).click();
  const tab = await opened;
  await expectStep(page, 'Complete Your Payment');
  return tab;
}
