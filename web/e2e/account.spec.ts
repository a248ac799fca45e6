/** Signing in, out, and in again after the password was forgotten. */
import { CALENDAR, expectStep } from './support/flow';
import { look } from './support/look';
import { newPerson, signIn, signUp, signUpQuietly } from './support/people';
import { Practice, startPractice } from './support/practice';
import { codeOf, Sandbox } from './support/sandbox';
import { expect, expectToast, test } from './support/test';
import { refusal } from './support/watch';

test('wrong password, forgotten password, signed out @phone', async ({
  page,
  complaints,
  practice,
  sandbox,
}) => {
  const person = newPerson('Charu');
  await signUpQuietly(page, practice.url, person);
  await page.goto('/');
  await page.getByRole('button', { name: /^Your account/ }).click();
  await look(page, 'account-menu');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expectToast(page, 'Signed out');
  expect(await page.evaluate(() => localStorage.getItem('supabase.auth.token'))).toBeNull();

  await page.goto('/sign-in?return=/faq');
  complaints.expect(refusal('/auth/v1/token'));
  await signIn(page, { ...person, password: 'not the right one' });
  await expect(page.getByText('Email or password is not right.').first()).toBeVisible();
  await look(page, 'sign-in-wrong');

  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await expectStep(page, 'Reset Your Password');
  await look(page, 'recover');
  await page.getByLabel('Email').fill(person.email);
  await page.getByRole('button', { name: 'Send me a code' }).click();
  await expectStep(page, 'Check Your Mail');
  await look(page, 'recover-code');
  const mail = await sandbox.mail(person.email, /^Choose a new password/);
  await page.getByLabel('6-digit code').fill(codeOf(mail));
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expectStep(page, 'Choose a New Password');
  await look(page, 'recover-password');
  const password = 'quite another river';
  await page.getByLabel('New password').fill(password);
  await page.getByRole('button', { name: 'Save New Password' }).click();
  await expect(page).toHaveURL(/\/faq$/);
  await expectToast(page, 'Password saved');

  await page.getByRole('button', { name: /^Your account/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expectToast(page, 'Signed out');
  await page.goto('/sign-in?return=/contact');
  await signIn(page, { ...person, password });
  await expect(page).toHaveURL(/\/contact$/);
});

test('the field for the code fits a phone @phone-only @phone', async ({ page }) => {
  await page.goto('/sign-up');
  // As after an account was made that has to be confirmed; below it is made in full.
  await page.evaluate(() => sessionStorage.setItem('addressToConfirm', 'deepa.verma@example.com'));
  await page.reload();
  await expectStep(page, 'Confirm Your Email');
  await look(page, 'confirm-email');
});

test('the code from the mail brings people back into the booking', async ({
  browser,
  complaints,
}) => {
  test.setTimeout(240_000);
  const own = await startPractice('confirming', { IDENTITY_CONFIRM_EMAIL: 'true' });
  const practice = new Practice(own.data);
  const sandbox = new Sandbox(practice.sandboxUrl);
  const context = await browser.newContext({ baseURL: practice.url });
  complaints.alsoOf(context);
  try {
    const page = await context.newPage();
    const person = newPerson('Deepa');
    await page.goto(CALENDAR);
    await page.getByRole('link', { name: 'Create New Account' }).click();
    await signUp(page, person);
    await expectStep(page, 'Confirm Your Email');
    await look(page, 'confirm-email');
    await page.reload();
    await expectStep(page, 'Confirm Your Email');
    const mail = await sandbox.mail(person.email, /^Confirm your e-mail address/);
    await page.getByLabel('6-digit code').fill(codeOf(mail));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expectStep(page, 'Book Your Session');
    await expect(page.getByLabel('First name')).toHaveValue(person.firstName);
    await expect(page).toHaveURL(/service=general-consultation/);
  } finally {
    await context.close();
    await own.stop();
  }
});
