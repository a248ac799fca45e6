/** Signing in by a code, where a booking asks for it and by itself, and with the keyboard. */
import type { Page } from '@playwright/test';
import { chooseNextTime } from './support/book';
import {
  agree,
  chooseTime,
  expectConfirmed,
  expectReady,
  expectStep,
  openCheckout,
  payByUpi,
  toPayment,
} from './support/flow';
import { walkTo } from './support/keyboard';
import { newPerson, signInByCode, signOutBy, signUpQuietly, typeCode } from './support/people';
import { expect, expectToast, test } from './support/test';
import { refusal } from './support/watch';

async function signOutByMenu(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Your account/ }).click();
  await signOutBy(page, () => page.getByRole('button', { name: 'Sign out' }).click());
  await expectToast(page, 'Signed out');
}

test('a stranger chooses a time and books with a name, an address and one code', async ({
  page,
  sandbox,
}) => {
  test.setTimeout(240_000);
  const person = newPerson('Nila');
  await page.goto('/service/general-consultation');
  await chooseNextTime(page);
  await expectStep(page, 'Sign In Required');
  const slot = new URL(page.url()).searchParams.get('slot');
  expect(slot).toBeTruthy();
  await signInByCode(page, sandbox, person);
  await expectStep(page, 'Book Your Session');
  await expect(page).toHaveURL(/service=general-consultation/);
  expect(new URL(page.url()).searchParams.get('slot')).toBe(slot);
  await expect(page.getByTestId('times').locator('input:checked')).toBeAttached();
  await expect(page.getByLabel('First name')).toHaveValue(person.firstName);
  await expect(page.getByLabel('Email')).toHaveValue(person.email);
  // The next time may be inside the cancellation limit; one of another week is not.
  await chooseTime(page);
  await agree(page);
  await toPayment(page);
  await expectReady(page);
  await payByUpi(await openCheckout(page));
  await expectConfirmed(page);
  await sandbox.mail(person.email, /^Your session is confirmed/);
});

test('a client signs in by a code and by the keyboard, and comes back', async ({
  page,
  practice,
  sandbox,
  complaints,
}) => {
  const person = newPerson('Parul');
  await signUpQuietly(page, practice.url, person);
  await page.goto('/faq');
  await signOutByMenu(page);
  await page.goto('/sign-in?return=/faq');
  await page.getByLabel('Email').fill(person.email);
  await page.getByRole('button', { name: 'Email me a code' }).click();
  await expectStep(page, 'Check Your Mail');
  complaints.expect(refusal('/auth/v1/verify'));
  await page.getByLabel('Code from our mail').fill('000 000');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await expect(page.getByRole('link', { name: /wrong or has expired/ })).toBeVisible();
  await typeCode(page, sandbox, person);
  await expect(page).toHaveURL(`${practice.url}/faq`);
  // A person who is signed in already is led on at once.
  await page.goto('/sign-in?return=/contact');
  await expect(page).toHaveURL(`${practice.url}/contact`);
  // The page that comes takes the focus, and would close a menu that was opened before.
  await expect(page.getByRole('heading', { level: 1, name: 'Get in Touch' })).toBeFocused();

  // The code was the first proof of that address, and ended the password that came before it.
  await signOutByMenu(page);
  const typist = newPerson('Tara');
  await signUpQuietly(page, practice.url, typist);
  await page.goto('/faq');
  await signOutByMenu(page);
  await page.goto('/sign-in?return=/about');
  await walkTo(page, page.getByLabel('Email'));
  await page.keyboard.type(typist.email);
  await walkTo(page, page.getByLabel('Password', { exact: true }));
  await page.keyboard.type(typist.password);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${practice.url}/about`);
});
