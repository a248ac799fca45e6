/** A whole booking and a review without a mouse; other files have the quiz and the other forms. */
import type { Page } from '@playwright/test';
import { BOOK, COMPLETED, firstTime, lastFreeDay, SIGNATURE } from './support/book';
import { CALENDAR, expectConfirmed, expectReady, expectStep, firstFreeTime } from './support/flow';
import { walkTo } from './support/keyboard';
import { firstOf } from './support/lists';
import { newPerson, signUpQuietly } from './support/people';
import { expect, expectToast, test } from './support/test';

async function press(page: Page, name: string): Promise<void> {
  await walkTo(page, page.getByRole('main').getByRole('button', { name }));
  await page.keyboard.press('Enter');
}

test('everything can be done with the keyboard', async ({ page, practice, sandbox }) => {
  const person = newPerson('Bina');
  await signUpQuietly(page, practice.url, person);
  await page.goto('/service/general-consultation');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await walkTo(page, page.getByRole('link', { name: 'Book & Pay Now - ₹500' }));
  await page.keyboard.press('Enter');

  await expectStep(page, 'Book Your Session');
  await expect(page).toHaveURL(new RegExp(CALENDAR.replace('?', '\\?')));
  const days = page.getByRole('group', { name: 'Day', exact: true });
  await walkTo(page, days.locator('input:checked'));
  await page.keyboard.press('ArrowLeft');
  await expect(page).toHaveURL(/date=/);
  await walkTo(page, firstFreeTime(page));
  await page.keyboard.press('Space');
  await expect(page).toHaveURL(/slot=/);
  await walkTo(page, page.getByLabel('Online'));
  await page.keyboard.press('ArrowRight');
  await expect(page.getByLabel('In person')).toBeChecked();
  await walkTo(page, page.getByLabel('I agree to these simple terms'));
  await page.keyboard.press('Space');
  await press(page, 'Continue to Payment');

  await expectStep(page, 'Complete Your Payment');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expectReady(page);
  await press(page, 'Pay ₹500');
  const checkout = page.frameLocator('iframe[title="Secure checkout"]');
  await expect(checkout.getByRole('button', { name: 'Pay ₹500' })).toBeVisible();
  await walkTo(page, checkout.getByRole('button', { name: 'Pay ₹500' }));
  await page.keyboard.press('Enter');

  await expectConfirmed(page);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(page.getByText('We meet at')).toBeVisible();
  await sandbox.mail(person.email, /^Your session is confirmed/);
  await press(page, 'Complete Booking');
  await expect(page).toHaveURL(/:\d+\/services$/);
});

test('a session is booked at /book with the keyboard', async ({ page, practice }) => {
  const person = newPerson('Ketaki');
  await signUpQuietly(page, practice.url, person);
  await page.goto(BOOK);
  await walkTo(page, lastFreeDay(page));
  await page.keyboard.press('Enter');
  await walkTo(page, firstTime(page));
  await page.keyboard.press('Enter');

  await expectStep(page, 'Consent to Online Session');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await walkTo(page, page.getByLabel('Signature'));
  await page.keyboard.type(SIGNATURE);
  await walkTo(page, page.getByRole('checkbox'));
  await page.keyboard.press('Space');
  await press(page, 'Accept & Continue to Payment');

  await expectStep(page, 'Booking Details');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await walkTo(page, page.getByLabel('Special requests'));
  await page.keyboard.type('A quiet voice, please');
  const opened = page.context().waitForEvent('page');
  await press(page, 'Proceed to Payment');
  await (await opened).close();
  await expectStep(page, 'Complete Your Payment');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await press(page, COMPLETED);
  await expect(page.getByText('We have not seen your payment yet')).toBeVisible();
});

test('a review is written with the keyboard', async ({ page }) => {
  const person = newPerson('Daya');
  await page.goto('/reviews');
  await walkTo(page, page.getByRole('main').getByRole('link', { name: 'Write a review' }));
  await page.keyboard.press('Enter');
  const type = async (label: string, text: string) => {
    await walkTo(page, page.getByLabel(label, { exact: true }));
    await page.keyboard.type(text);
  };
  const stars = page.getByRole('radio', { name: /stars?/ });
  await walkTo(page, firstOf(stars));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: /^3 stars/ })).toBeChecked();
  await type('Name', 'Daya Verma');
  await type('Email', person.email);
  await walkTo(page, page.getByLabel('Service', { exact: true }));
  await page.keyboard.type('Energy');
  await expect(page.getByLabel('Service', { exact: true })).toHaveValue('Energy Healing');
  await type('Your review', 'I was heard, and came again.');
  await press(page, 'Publish Review');
  await expectToast(page, 'Thank you for your review!');
  await expect(page.getByRole('article', { name: 'Review by Daya Verma' })).toBeFocused();
});
