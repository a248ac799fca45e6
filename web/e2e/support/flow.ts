/** The steps of the booking flow, as a person takes them. */
import type { FrameLocator, Locator, Page } from '@playwright/test';
import { addDays, WEEK_DAYS } from '../../src/features/booking/shared/slots';
import { ownDates } from './own-days';
import { expect } from './test';

export const SERVICE = 'general-consultation';
export const CALENDAR = `/booking-flow?service=${SERVICE}`;

export async function expectStep(page: Page, title: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
}

/** The seven days in sight. */
function daysOf(page: Page): Locator {
  return page.getByRole('group', { name: 'Day', exact: true });
}

/** A day in sight, by its date. */
function dayOf(page: Page, date: string): Locator {
  return daysOf(page).locator(`input[value="${date}"]`);
}

/** The free times of the day that is shown. */
function freeTimes(page: Page): Locator {
  return page.getByTestId('times').locator('input[type="radio"]:enabled');
}

/** The free time that has the focus first. */
export function firstFreeTime(page: Page): Locator {
  return freeTimes(page).first();
}

async function givenValue(choice: Locator): Promise<string> {
  return (await choice.getAttribute('value')) ?? '';
}

/** Turns the calendar, week by week, until a day is in sight. */
async function turnTo(page: Page, date: string): Promise<void> {
  let from = await givenValue(daysOf(page).locator('input[type="radio"]').first());
  const isEarlier = date < from;
  const turn = daysOf(page).getByRole('button', {
    name: isEarlier ? 'Earlier days' : 'Later days',
  });
  while (date < from || date >= addDays(from, WEEK_DAYS)) {
    from = addDays(from, isEarlier ? -WEEK_DAYS : WEEK_DAYS);
    await turn.click();
    await expect(dayOf(page, from)).toBeAttached();
  }
}

/** Shows the first of the spec's own days with a free time, and waits until the times are those of it. */
async function showOwnDay(page: Page): Promise<void> {
  for (const date of await ownDates(new URL(page.url()).origin, SERVICE)) {
    await turnTo(page, date);
    if (await dayOf(page, date).isDisabled()) continue;
    await dayOf(page, date).check();
    // The practice's hours are of one date in its zone and in UTC.
    await expect(firstFreeTime(page)).toHaveValue(new RegExp(`^${date}T`));
    return;
  }
  throw new Error('No time is left on the days of this spec.');
}

/** Takes a time by its start, and not by its place: news may redraw the list. Says which. */
async function takeTime(page: Page, time: Locator): Promise<string> {
  const instant = await givenValue(time);
  await page.getByTestId('times').locator(`input[value="${instant}"]`).check();
  return instant;
}

/** Takes the first free time of the spec's own days; says which. */
export async function takeOwnTime(page: Page): Promise<string> {
  await showOwnDay(page);
  return takeTime(page, firstFreeTime(page));
}

/** Takes another free time of the day that is shown; says which. */
export function takeOtherTime(page: Page): Promise<string> {
  return takeTime(page, freeTimes(page).and(page.locator(':not(:checked)')).last());
}

/** Chooses the first free time of the spec's own days; says how the address writes it. */
export async function chooseTime(page: Page): Promise<string> {
  const instant = await takeOwnTime(page);
  await expect.poll(() => slotOf(page)).toBe(instant);
  return instant;
}

/** Takes the first of the times that are offered for one that was lost; by its words. */
export async function takeSuggestion(notice: Locator): Promise<void> {
  const words = (await notice.getByRole('button').first().textContent()) ?? '';
  await notice.getByRole('button', { name: words, exact: true }).click();
}

/** The chosen start as the address writes it. */
export function slotOf(page: Page): string {
  return new URL(page.url()).searchParams.get('slot') ?? '';
}

export function bookingOf(page: Page): string {
  return new URL(page.url()).searchParams.get('b') ?? '';
}

export async function agree(page: Page): Promise<void> {
  await page.getByLabel('I agree to these simple terms').check();
}

export async function toPayment(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue to Payment' }).click();
  await expectStep(page, 'Complete Your Payment');
}

/** From the calendar to the payment step, with a time chosen. */
export async function hold(page: Page): Promise<string> {
  await page.goto(CALENDAR);
  await expectStep(page, 'Book Your Session');
  const slot = await chooseTime(page);
  await agree(page);
  await toPayment(page);
  return slot;
}

/** Waits until the payment window can be opened. */
export async function expectReady(page: Page): Promise<void> {
  await expect(page.getByText("You'll pay securely")).toBeVisible();
}

/** The tick that a time inside the cancellation limit asks for, wherever that is. */
export function lateTick(page: Page): Locator {
  return page.getByLabel("I understand that this session can't be cancelled for a refund");
}

/** Opens the provider's window. */
export async function openCheckout(
  page: Page,
  button = 'Pay ₹500',
  inside = 'Pay ₹500',
): Promise<FrameLocator> {
  await expectReady(page);
  await page.getByRole('main').getByRole('button', { name: button }).click();
  const checkout = page.frameLocator('iframe[title="Secure checkout"]');
  await expect(checkout.getByRole('button', { name: inside })).toBeVisible();
  return checkout;
}

/** Leaves the page for the provider's, as browsers without windows do. */
export async function leaveToPay(page: Page): Promise<void> {
  await expectReady(page);
  await page
    .getByRole('main')
    .getByRole('button', { name: /^(Pay ₹500|Retry Payment)$/ })
    .click();
  await page.waitForURL(/callback_url=/);
  await expect(page.getByRole('button', { name: 'Pay ₹500' })).toBeVisible();
}

export async function payByCard(checkout: FrameLocator, button = 'Pay ₹500'): Promise<void> {
  await checkout.getByRole('button', { name: 'Pay by card' }).click();
  await checkout.getByRole('button', { name: button }).click();
}

/** Closes the window; it asks once, because one touch beside it would end a wait for a UPI app. */
export async function closeCheckout(checkout: FrameLocator): Promise<void> {
  await checkout.getByRole('button', { name: 'Cancel payment' }).click();
  await checkout.getByRole('button', { name: 'Yes, leave' }).click();
}

export async function payByUpi(checkout: FrameLocator): Promise<void> {
  await checkout.getByRole('button', { name: 'Pay by UPI' }).click();
  await checkout.getByRole('button', { name: 'Approve in UPI app' }).click();
}

/** The order that the tab has stored under `paymentLinkId`. */
export async function orderOf(page: Page): Promise<string> {
  return (await page.evaluate(() => sessionStorage.getItem('paymentLinkId'))) ?? '';
}

export async function expectConfirmed(page: Page): Promise<void> {
  await expectStep(page, 'Booking Confirmed!');
}
