/** The steps of /book, as a person takes them. */
import type { FrameLocator, Locator, Page } from '@playwright/test';
import { expectStep, SERVICE } from './flow';
import { ownPlace } from './own-days';
import { expect } from './test';

export const BOOK = `/book?service=${SERVICE}`;

/** A far time, whose consent needs no free time to be read. */
export const CONSENT = `${BOOK}&slot=2035-01-01T05:30:00Z&step=calendar-terms`;

export const COMPLETED = "I've Completed Payment - Confirm Booking";
export const SIGNATURE = 'A. Verma, signed';
export const NOTES = 'Mornings are hard for me.';

/** The free times in sight, of the chosen day. */
function timesOf(page: Page): Locator {
  return page.locator('#times').getByRole('link', { name: / IST, / });
}

/** The first of them, to be looked at or walked to. */
export function firstTime(page: Page): Locator {
  return timesOf(page).first();
}

/** The seven days in sight; each says how many of its times are free. */
function daysOf(page: Page): Locator {
  return page.locator('#times').getByRole('button', { name: / free$/ });
}

/** The last of them that has a free time, to be walked to. */
export function lastFreeDay(page: Page): Locator {
  return daysOf(page).and(page.locator('button:enabled')).last();
}

/** Follows a free time by its address, and not by its place: news may redraw the list. */
async function follow(page: Page, time: Locator): Promise<void> {
  const address = (await time.getAttribute('href')) ?? '';
  await page.locator(`#times a[href="${address}"]`).click();
}

/** Chooses the next free time, whichever that is. */
export function chooseNextTime(page: Page): Promise<void> {
  return follow(page, firstTime(page));
}

/** Chooses the first free time of the spec's own days, on a page that shows the week of today. */
export async function chooseSlot(page: Page): Promise<void> {
  const { week, days } = ownPlace();
  const label = (day: number) => daysOf(page).nth(day).getAttribute('aria-label');
  for (let turned = 0; turned < week; turned += 1) {
    const before = (await label(0)) ?? '';
    await page.locator('#times').getByRole('button', { name: 'Later days' }).click();
    await expect(daysOf(page).first()).not.toHaveAttribute('aria-label', before);
  }
  for (const day of days) {
    const name = (await label(day)) ?? '';
    if (name.endsWith('none free')) continue;
    await daysOf(page).nth(day).click();
    // Until the day is drawn, the times of another one stand there.
    const date = name.replace(/, \d+ free$/, '');
    return follow(page, timesOf(page).filter({ hasText: date }).first());
  }
  throw new Error('No time is left on the days of this spec.');
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
  const opened = page.context().waitForEvent('page');
  await page.getByRole('button', { name: 'Proceed to Payment' }).click();
  const tab = await opened;
  await expectStep(page, 'Complete Your Payment');
  return tab;
}
