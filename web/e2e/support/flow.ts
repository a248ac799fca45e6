/** The steps of the booking flow, as a person takes them. */
import type { FrameLocator, Locator, Page } from '@playwright/test';
import { expect } from './test';

export const SERVICE = 'general-consultation';
export const CALENDAR = `/booking-flow?service=${SERVICE}`;

export async function expectStep(page: Page, title: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
}

/** The days in sight that have a free time. */
export function freeDays(page: Page): Locator {
  const days = page.getByRole('group', { name: 'Day', exact: true });
  return days.locator('input[type="radio"]:enabled');
}

/** The free times of the day that is shown. */
export function freeTimes(page: Page): Locator {
  return page.getByTestId('times').locator('input[type="radio"]:enabled');
}

async function givenValue(choice: Locator): Promise<string> {
  return (await choice.getAttribute('value')) ?? '';
}

/**
 * Shows a day, and waits until the times are those of it. The day is pressed by its date: news of
 * other people's times may redraw the list meanwhile, and then its last day is another one.
 */
export async function showDay(page: Page, day: Locator): Promise<void> {
  const date = await givenValue(day);
  const days = page.getByRole('group', { name: 'Day', exact: true });
  await days.locator(`input[value="${date}"]`).check();
  // The practice's hours are of one date in its zone and in UTC.
  await expect(freeTimes(page).first()).toHaveValue(new RegExp(`^${date}T`));
}

/** Takes a time, by its start; says which. */
export async function takeTime(page: Page, time: Locator): Promise<string> {
  const instant = await givenValue(time);
  await page.getByTestId('times').locator(`input[value="${instant}"]`).check();
  return instant;
}

/** Chooses the first free time of the last free day in sight; says how the address writes it. */
export async function chooseTime(page: Page): Promise<string> {
  await showDay(page, freeDays(page).last());
  await takeTime(page, freeTimes(page).first());
  await expect(page).toHaveURL(/slot=/);
  return slotOf(page);
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

/** Which times are free soonest depends on the hour; what they ask for is agreed to. */
export async function agreeIfLate(page: Page): Promise<void> {
  const tick = lateTick(page);
  if (await tick.isVisible()) await tick.check();
}

/** Opens the provider's window. */
export async function openCheckout(
  page: Page,
  button = 'Pay ₹500',
  inside = 'Pay ₹500',
): Promise<FrameLocator> {
  await expectReady(page);
  await agreeIfLate(page);
  await page.getByRole('main').getByRole('button', { name: button }).click();
  const checkout = page.frameLocator('iframe[title="Secure checkout"]');
  await expect(checkout.getByRole('button', { name: inside })).toBeVisible();
  return checkout;
}

/** Leaves the page for the provider's, as browsers without windows do. */
export async function leaveToPay(page: Page): Promise<void> {
  await expectReady(page);
  await agreeIfLate(page);
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
