/** Signing in, out, and in again after the password was forgotten. */
import type { Page } from '@playwright/test';
import { CALENDAR, expectStep } from './support/flow';
import { expectSome } from './support/lists';
import {
  newPerson,
  openSession,
  sessionCookie,
  signIn,
  signUp,
  signUpAwaiting,
  signUpQuietly,
} from './support/people';
import { Practice, startPractice } from './support/practice';
import { codeOf, linkOf, Sandbox } from './support/sandbox';
import { expect, expectToast, ready, test } from './support/test';
import { refusal } from './support/watch';

test('wrong password, forgotten password, signed out', async ({
  page,
  complaints,
  practice,
  sandbox,
}) => {
  const person = newPerson('Charu');
  await signUpQuietly(page, practice.url, person);
  await page.goto('/');
  await page.getByRole('button', { name: /^Your account/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expectToast(page, 'Signed out');
  await expect.poll(() => sessionCookie(page)).toBeUndefined();

  await page.goto('/sign-in?return=/faq');
  complaints.expect(refusal('/auth/v1/token'));
  await signIn(page, { ...person, password: `not the right one of ${person.email}` });
  await expectSome(page.getByText('Email or password is not right.'));

  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await expectStep(page, 'Reset Your Password');
  await page.getByLabel('Email').fill(person.email);
  await page.getByRole('button', { name: 'Send me a code' }).click();
  await expectStep(page, 'Check Your Mail');
  const mail = await sandbox.mail(person.email, /^Choose a new password/);
  await page.getByLabel('Code from our mail').fill(codeOf(mail));
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expectStep(page, 'Choose a New Password');
  const password = 'quite another river';
  await page.getByLabel('New password').fill(password);
  await page.getByRole('button', { name: 'Save New Password' }).click();
  await expect(page).toHaveURL(/:\d+\/faq$/);
  // The address is there before its page, which closes what is open in the header.
  await expect(page.getByRole('heading', { level: 1, name: 'Questions, answered' })).toBeVisible();
  await expectToast(page, 'Password saved');

  await page.getByRole('button', { name: /^Your account/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expectToast(page, 'Signed out');
  await page.goto('/sign-in?return=/contact');
  await signIn(page, { ...person, password });
  await expect(page).toHaveURL(/:\d+\/contact$/);
});

/** Presses the button of the page that a mail's link opens. */
async function press(page: Page, link: string, title: string, button: string): Promise<void> {
  await page.goto(link);
  await expectStep(page, title);
  await page.getByRole('main').getByRole('button', { name: button }).click();
}

test('codes and links of mails confirm, and a link only by its button', async ({
  browser,
  complaints,
  contextOptions,
  viewport,
}) => {
  test.setTimeout(240_000);
  const own = await startPractice('links', { IDENTITY_CONFIRM_EMAIL: 'true' });
  const practice = new Practice(own.data);
  const sandbox = new Sandbox(practice.sandboxUrl);
  const options = { ...contextOptions, viewport, baseURL: practice.url };
  const open = async () => {
    const made = await browser.newContext(options);
    complaints.alsoOf(made);
    await ready(made);
    return made;
  };
  const [booking, context, other] = [await open(), await open(), await open()];
  try {
    await test.step('the code from the mail brings people back into the booking', async () => {
      const page = await booking.newPage();
      const person = newPerson('Deepa');
      await page.goto(CALENDAR);
      await page.getByRole('link', { name: 'Create New Account' }).click();
      await signUp(page, person);
      await expectStep(page, 'Confirm Your Email');
      await page.reload();
      await expectStep(page, 'Confirm Your Email');
      const mail = await sandbox.mail(person.email, /^Confirm your e-mail address/);
      await page.getByLabel('Code from our mail').fill(codeOf(mail));
      await page.getByRole('button', { name: 'Confirm' }).click();
      await expectStep(page, 'Book Your Session');
      await expect(page.getByLabel('First name')).toHaveValue(person.firstName);
      await expect(page).toHaveURL(/service=general-consultation/);
    });

    await test.step('in the browser that signed up, the password stays', async () => {
      const person = newPerson('Esha');
      const page = await context.newPage();
      await page.goto('/sign-up?return=/faq');
      await signUp(page, person);
      await expectStep(page, 'Confirm Your Email');
      const link = linkOf(await sandbox.mail(person.email, /^Confirm your e-mail address/));
      // A scanner of mail looks at the link, and at that of an older mail, before its owner does.
      const older = `/auth/v1/verify?${new URL(link).hash.slice(1).replace('token_hash=', 'token=')}`;
      for (const method of ['HEAD', 'GET']) {
        const init = { method, redirect: 'manual' } as const;
        const seen = await fetch(new URL(older, practice.url), init);
        expect(seen.status).toBe(303);
        expect(seen.headers.get('location')).toBe(link);
      }
      const opened = await context.newPage();
      await opened.goto(older);
      await expectStep(opened, 'Confirm Your Email');
      await opened.getByRole('button', { name: 'Confirm my address' }).click();
      await expect(opened).toHaveURL(/:\d+\/faq$/);
      await expect(opened.getByRole('button', { name: /^Your account/ })).toBeVisible();
      await openSession(opened, practice.url, person);

      complaints.expect(refusal('/auth/v1/verify'));
      const again = await other.newPage();
      await press(again, link, 'Confirm Your Email', 'Confirm my address');
      await expect(again.getByText('That link did not work')).toBeVisible();
      await again.close();
    });

    await test.step('elsewhere, who confirms chooses the password', async () => {
      const person = newPerson('Farida');
      const strangers = { ...person, password: 'a password of a stranger' };
      await signUpAwaiting(practice.url, strangers);
      const link = linkOf(await sandbox.mail(person.email, /^Confirm your e-mail address/));
      const page = await other.newPage();
      await press(page, link, 'Confirm Your Email', 'Confirm my address');
      await expectStep(page, 'Choose a Password');
      await page.getByLabel('New password').fill(person.password);
      await page.getByRole('button', { name: 'Save New Password' }).click();
      await expect(page).toHaveURL(`${practice.url}/`);
      await expect(openSession(page, practice.url, strangers)).rejects.toThrow('400');
      await openSession(page, practice.url, person);
    });

    await test.step('a forgotten password', async () => {
      const person = newPerson('Gita');
      await signUpAwaiting(practice.url, person);
      const page = await other.newPage();
      await page.goto('/recover?return=/contact');
      await page.getByLabel('Email').fill(person.email);
      await page.getByRole('button', { name: 'Send me a code' }).click();
      await expectStep(page, 'Check Your Mail');
      const link = linkOf(await sandbox.mail(person.email, /^Choose a new password/));
      const opened = await other.newPage();
      await opened.goto(link);
      await expectStep(opened, 'Choose a New Password');
      await opened.getByRole('main').getByRole('button', { name: 'Continue' }).click();
      await opened.getByLabel('New password').fill('quite another river');
      await opened.getByRole('button', { name: 'Save New Password' }).click();
      await expect(opened).toHaveURL(/:\d+\/contact$/);
    });
  } finally {
    for (const one of [booking, context, other]) await one.close();
    await own.stop();
  }
});
