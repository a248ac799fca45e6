/** The ways to sign in: a code by mail, an app, and what a person sees when they do not work. */
import type { Page } from '@playwright/test';
import {
  agree,
  CALENDAR,
  chooseTime,
  expectConfirmed,
  expectReady,
  expectStep,
  openCheckout,
  payByUpi,
  toPayment,
} from './support/flow';
import { walkTo } from './support/keyboard';
import { look } from './support/look';
import {
  askForCode,
  newPerson,
  type Person,
  signInByCode,
  signOutBy,
  signUpQuietly,
  typeCode,
} from './support/people';
import { expect, expectToast, test } from './support/test';
import { refusal } from './support/watch';

async function signOutByMenu(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Your account/ }).click();
  await signOutBy(page, () => page.getByRole('button', { name: 'Sign out' }).click());
  await expectToast(page, 'Signed out');
}

/** The provider's window of a time that is held, paid by a UPI app. */
async function pay(page: Page): Promise<void> {
  await toPayment(page);
  await expectReady(page);
  await look(page, 'code-booking-payment');
  await payByUpi(await openCheckout(page));
  await expectConfirmed(page);
}

test('a stranger books with a name, an address and one code @phone', async ({ page, sandbox }) => {
  test.setTimeout(240_000);
  const person = newPerson('Nila');
  await page.goto(CALENDAR);
  await expectStep(page, 'Sign In Required');
  await look(page, 'code-booking');
  await page.getByRole('button', { name: 'Email me a code' }).click();
  await expect(page.getByRole('link', { name: 'Your name is required' })).toBeVisible();
  await look(page, 'code-booking-missing');
  await askForCode(page, person);
  await expect(page.getByRole('main').getByLabel('Code from our mail')).toBeVisible();
  await look(page, 'code-booking-code');
  await typeCode(page, sandbox, person);
  await expectStep(page, 'Book Your Session');
  await expect(page).toHaveURL(/service=general-consultation/);
  await expect(page.getByLabel('First name')).toHaveValue(person.firstName);
  await expect(page.getByLabel('Email')).toHaveValue(person.email);
  await chooseTime(page);
  await agree(page);
  await look(page, 'code-booking-chosen');
  await pay(page);
  await look(page, 'code-booking-confirmed');
  await sandbox.mail(person.email, /^Your session is confirmed/);
});

test('a chosen time is still chosen after the code @phone', async ({ page, sandbox }) => {
  const person = newPerson('Omana');
  await page.goto('/service/general-consultation');
  await page.getByRole('link', { name: /IST/ }).first().click();
  await expectStep(page, 'Sign In Required');
  const slot = new URL(page.url()).searchParams.get('slot');
  expect(slot).toBeTruthy();
  await signInByCode(page, sandbox, person);
  await expectStep(page, 'Book Your Session');
  expect(new URL(page.url()).searchParams.get('slot')).toBe(slot);
  await expect(page.getByTestId('times').locator('input:checked')).toBeAttached();
});

async function askCode(page: Page, { email }: Person): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Email me a code' }).click();
  await expectStep(page, 'Check Your Mail');
}

test('a client signs in by a code, and comes back @phone', async ({
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
  await look(page, 'sign-in');
  await askCode(page, person);
  await look(page, 'sign-in-code');
  complaints.expect(refusal('/auth/v1/verify'));
  await page.getByLabel('Code from our mail').fill('000 000');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await expect(page.getByRole('link', { name: /wrong or has expired/ })).toBeVisible();
  await look(page, 'sign-in-code-wrong');
  await typeCode(page, sandbox, person);
  await expect(page).toHaveURL(/\/faq$/);
  // A person who is signed in already is led on at once.
  await page.goto('/sign-in?return=/contact');
  await expect(page).toHaveURL(/\/contact$/);
});

test('an address without an account is answered as every other', async ({ page, complaints }) => {
  complaints.expect(refusal('/auth/v1/otp'));
  await page.goto('/sign-in');
  await askCode(page, newPerson('Maya'));
  await expect(page.getByText('If there is an account with')).toBeVisible();
});

test('without a connection, and with too many attempts, the page says so', async ({
  page,
  context,
  complaints,
}) => {
  complaints.expect(/ERR_INTERNET_DISCONNECTED/, refusal('/auth/v1/token'));
  await page.goto('/sign-in');
  const person = newPerson('Radha');
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  const button = page.getByRole('main').getByRole('button', { name: /^(Sign In|Try again)/ });
  await context.setOffline(true);
  await button.click();
  await expect(page.getByRole('main').getByText('You are offline')).toBeVisible();
  await look(page, 'sign-in-offline');
  await context.setOffline(false);
  await page.route('**/auth/v1/token**', (route) =>
    route.fulfill({
      status: 429,
      headers: { 'x-supabase-api-version': '2024-01-01' },
      json: {
        code: 'over_request_rate_limit',
        message: 'You can only request this after 3 seconds.',
      },
    }),
  );
  await button.click();
  await expect(button).toHaveText(/^Try again in \d s$/);
  await look(page, 'sign-in-wait');
  await expect(button).toHaveText('Sign In');
  await expect(button).toBeEnabled();
});

test('signing in is done with the keyboard', async ({ page, practice }) => {
  const person = newPerson('Sarita');
  await signUpQuietly(page, practice.url, person);
  await page.goto('/');
  await signOutByMenu(page);
  await page.goto('/sign-in?return=/about');
  await walkTo(page, page.getByLabel('Email'));
  await page.keyboard.type(person.email);
  await walkTo(page, page.getByLabel('Password', { exact: true }));
  await page.keyboard.type(person.password);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/about$/);
});
