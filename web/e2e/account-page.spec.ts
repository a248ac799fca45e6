/** /account as its owner uses it: details, address, password, second steps and devices. */
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Locator, Page } from '@playwright/test';
import { appCode, nextAppCode, proveByMail, VirtualDevice } from './support/authenticator';
import { expectSizes } from './support/ease';
import { expectStep } from './support/flow';
import { walkTo } from './support/keyboard';
import { fitsTheWidth } from './support/look';
import { ownerOf } from './support/owner';
import { newPerson, openSession, signIn, signOutBy, signUpQuietly } from './support/people';
import { HOST_NAME, Practice, startPractice } from './support/practice';
import { codeOf, type Mail, Sandbox } from './support/sandbox';
import { expect, expectToast, ready, test } from './support/test';
import { type Complaints, refusal } from './support/watch';

function part(page: Page, name: string): Locator {
  return page.getByRole('region', { name, exact: true });
}

/** Every part has been read. */
async function openAccount(page: Page): Promise<void> {
  await page.goto('/account');
  await expectStep(page, 'Your Account');
  await expect(page.getByRole('main').locator('[aria-busy="true"]')).toHaveCount(0);
}

test('the pages of an account fit thumbs and magnifiers @phone-only @phone', async ({
  page,
  otherPage,
  practice,
  sandbox,
  complaints,
}) => {
  const main = page.getByRole('main');
  await page.goto('/sign-up');
  // As after an account was made that has to be confirmed; account.spec makes it in full.
  await page.evaluate(() => sessionStorage.setItem('addressToConfirm', 'deepa.verma@example.com'));
  await page.reload();
  await expectStep(page, 'Confirm Your Email');
  await fitsTheWidth(page);

  const person = newPerson('Tulsi');
  await signUpQuietly(page, practice.url, person);
  await openSession(otherPage, practice.url, person);
  await openAccount(page);
  await expectSizes(page, 'account', main);
  await part(page, 'Devices').getByRole('button', { name: 'Sign out all others' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign out all other devices?' });
  await expectSizes(page, 'the question before it', dialog);
  await dialog.getByRole('button', { name: 'Leave them' }).click();
  const app = part(page, 'Authenticator app');
  await app.getByRole('button', { name: 'Add an app' }).click();
  complaints.expect(refusal('/factors'));
  await app.getByRole('button', { name: 'Continue' }).click();
  await expect(app.getByRole('button', { name: 'Email me a code' })).toBeVisible();
  await fitsTheWidth(page);
  await proveByMail(app, sandbox, person.email);
  await expect(app.getByRole('img')).toBeVisible();
  await expectSizes(page, 'an app that is added', main);
});

test('details are changed with the keyboard alone', async ({
  page,
  practice,
  sandbox,
  complaints,
}) => {
  const person = newPerson('Usha');
  await signUpQuietly(page, practice.url, person);
  await openAccount(page);
  const details = part(page, 'About you');
  await walkTo(page, details.getByLabel('First name'));
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Ushma');
  await walkTo(page, details.getByRole('button', { name: 'Save' }));
  await page.keyboard.press('Enter');
  await expectToast(page, 'Saved');
  await expect(page.getByRole('button', { name: /^Your account, Ushma/ })).toBeVisible();
  const app = part(page, 'Authenticator app');
  await walkTo(page, app.getByRole('button', { name: 'Add an app' }));
  await page.keyboard.press('Enter');
  complaints.expect(refusal('/factors'));
  await walkTo(page, app.getByRole('button', { name: 'Continue' }));
  await page.keyboard.press('Enter');
  await walkTo(page, app.getByRole('button', { name: 'Email me a code' }));
  await page.keyboard.press('Enter');
  const mail = await sandbox.mail(person.email, /^Your code to go on/);
  await expect(app.getByLabel('6-digit code from our mail')).toBeFocused();
  await page.keyboard.type(codeOf(mail));
  await page.keyboard.press('Enter');
  await expect(app.getByRole('heading', { name: 'Add us to your app' })).toBeFocused();
  await walkTo(page, app.getByRole('button', { name: 'Cancel' }));
  await page.keyboard.press('Enter');
  await expect(app.getByRole('button', { name: 'Add an app' })).toBeVisible();
});

/** Mails about a change of address, to either of both. */
const CHANGE = /^Confirm (that your address changes|your new e-mail address)/;

async function confirmHalf(page: Page, whose: 'present' | 'new', mail: Mail): Promise<void> {
  const email = part(page, 'Email');
  await email.getByLabel(`Code from the mail to your ${whose} address`).fill(codeOf(mail));
  await email.getByRole('button', { name: `Confirm the ${whose} address` }).click();
}

test('an address is changed when both addresses have confirmed', async ({
  page,
  practice,
  sandbox,
}) => {
  const person = newPerson('Vimala');
  const { email: next } = newPerson('Vimala');
  await signUpQuietly(page, practice.url, person);
  await openAccount(page);
  await part(page, 'Email').getByLabel('New email').fill(next);
  await part(page, 'Email').getByRole('button', { name: 'Change my email' }).click();
  await expect(page.getByText('The change waits for you')).toBeVisible();
  await page.reload();
  await expect(page.getByText('The change waits for you')).toBeVisible();
  await confirmHalf(page, 'present', await sandbox.mail(person.email, CHANGE));
  await expect(page.getByText(`${person.email} is confirmed.`)).toBeVisible();
  await confirmHalf(page, 'new', await sandbox.mail(next, CHANGE));
  await expectToast(page, 'Email changed');
  await openSession(page, practice.url, { ...person, email: next });
});

test('a new password and a device that is signed out end sessions elsewhere', async ({
  page,
  otherPage,
  practice,
  sandbox,
}) => {
  const person = newPerson('Yamini');
  await signUpQuietly(page, practice.url, person);
  await openSession(otherPage, practice.url, person);
  await openAccount(page);
  const devices = part(page, 'Devices');
  const listed = devices.getByRole('listitem');
  await expect(listed).toHaveCount(2);
  const changed = { ...person, password: 'quite another river' };

  await test.step('a password is set with a code, and ends the other devices', async () => {
    const password = part(page, 'Password');
    await password.getByRole('button', { name: /email me a code/i }).click();
    const mail = await sandbox.mail(person.email, /^Your code to go on/);
    await password.getByLabel('6-digit code').fill(codeOf(mail));
    await password.getByLabel('New password').fill(changed.password);
    await password.getByRole('button', { name: 'Save New Password' }).click();
    await expectToast(page, 'Password saved');
    await expect(listed).toHaveCount(1);
  });

  await test.step('a device is signed out after a question', async () => {
    await openSession(otherPage, practice.url, changed);
    await openAccount(page);
    await expect(listed).toHaveCount(2);
    await devices.getByRole('button', { name: /^Sign out (?!all)/ }).click();
    await page.getByRole('button', { name: 'Yes, sign it out' }).click();
    await expectToast(page, 'Device signed out');
    await expect(listed).toHaveCount(1);
    await expect(devices.getByText('This device')).toBeVisible();
  });
});

async function signOutHere(page: Page): Promise<void> {
  const button = page.getByRole('main').getByRole('button', { name: 'Sign out', exact: true });
  await signOutBy(page, () => button.click());
  await expect(page.getByRole('button', { name: /^Your account/ })).toHaveCount(0);
}

async function addApp(page: Page, sandbox: Sandbox, email: string): Promise<string> {
  const apps = part(page, 'Authenticator app');
  await apps.getByRole('button', { name: 'Add an app' }).click();
  await apps.getByRole('button', { name: 'Continue' }).click();
  await proveByMail(apps, sandbox, email);
  await expect(apps.getByRole('img')).toBeVisible();
  const secret = (await apps.locator('.select-all').textContent()) ?? '';
  await apps.getByLabel('6-digit code of the app').fill(appCode(secret));
  await apps.getByRole('button', { name: 'Finish' }).click();
  await expectToast(page, 'App added');
  return secret;
}

test('an app is asked for its code from then on', async ({
  page,
  practice,
  sandbox,
  complaints,
}) => {
  const person = newPerson('Indu');
  await signUpQuietly(page, practice.url, person);
  await openAccount(page);
  complaints.expect(refusal('/factors'));
  const secret = await addApp(page, sandbox, person.email);
  await signOutHere(page);
  await page.goto('/sign-in?return=/account');
  await signIn(page, person);
  await expectStep(page, 'One More Step');
  complaints.expect(refusal('/verify'));
  await page.getByLabel('6-digit code').fill('000000');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await expect(page.getByRole('link', { name: /That code is not right/ })).toBeVisible();
  await page.getByLabel('6-digit code').fill(nextAppCode(secret));
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await expectStep(page, 'Your Account');
});

/** A practice that is visited by a name, because passkeys do not work at a number. */
async function atName(browser: Browser, options: BrowserContextOptions, complaints: Complaints) {
  const own = await startPractice('passkeys', { [HOST_NAME]: 'localhost' });
  const practice = new Practice(own.data);
  const context = await browser.newContext({ ...options, baseURL: practice.url });
  complaints.alsoOf(context);
  await ready(context);
  const close = async () => {
    await context.close();
    await own.stop();
  };
  return { practice, page: await context.newPage(), close };
}

async function makeRecoveryCodes(page: Page): Promise<string[]> {
  const recovery = part(page, 'Recovery codes');
  await recovery.getByRole('button', { name: 'Make recovery codes' }).click();
  await expect(recovery.getByText('they are shown this once')).toBeVisible();
  const download = page.waitForEvent('download');
  await recovery.getByRole('button', { name: 'Download' }).click();
  const text = readFileSync(await (await download).path(), 'utf8');
  const codes = await recovery.getByRole('listitem').allInnerTexts();
  for (const code of codes) expect(text).toContain(code);
  await recovery.getByRole('button', { name: 'I have kept them' }).click();
  return codes;
}

/** All that is typed can be read, also on a phone. */
async function expectWhole(page: Page, field: Locator): Promise<void> {
  const before = page.viewportSize();
  for (const width of [360, before?.width ?? 0]) {
    await page.setViewportSize({ width, height: before?.height ?? 0 });
    const cut = await field.evaluate(
      (it) => it.scrollWidth > it.clientWidth || it.scrollHeight > it.clientHeight,
    );
    expect(cut, `it is cut at ${width} pixels`).toBe(false);
  }
}

test('staff add a passkey, sign in with it, lose it and recover', async ({
  browser,
  complaints,
  contextOptions,
  viewport,
}) => {
  test.setTimeout(300_000);
  const options = { ...contextOptions, viewport };
  const { practice, page, close } = await atName(browser, options, complaints);
  try {
    const owner = ownerOf(practice);
    // Its app is taken off, as for a member who has none yet.
    practice.staff('reset-factors', owner.email);
    const device = await VirtualDevice.of(page);
    await page.goto('/sign-in');
    await page.getByLabel('Email').fill(owner.email);
    await page.getByLabel('Password', { exact: true }).fill(owner.password);
    await page.getByRole('main').getByRole('button', { name: 'Sign In' }).click();
    await expectStep(page, 'Set Up a Second Step');
    await page.getByRole('link', { name: 'Set it up now' }).click();
    await expectStep(page, 'Your Account');
    const passkeys = part(page, 'Passkeys');
    await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
    complaints.expect(refusal('/passkeys/registration/options'));
    await passkeys.getByRole('button', { name: 'Continue' }).click();
    await proveByMail(passkeys, new Sandbox(practice.sandboxUrl), owner.email);
    await expect(passkeys.getByRole('listitem')).toHaveCount(1);
    expect(await device.passkeys()).toBe(1);
    // From now on the account is changed with the second step only.
    await page.getByRole('button', { name: 'Use my passkey' }).click();
    await expectToast(page, 'Thank you');
    const [code = ''] = await makeRecoveryCodes(page);

    await test.step('the passkey signs in', async () => {
      await signOutHere(page);
      await device.answersAtOnce(false);
      await page.goto('/sign-in?return=/account');
      const use = page.getByRole('button', { name: 'Use a passkey' });
      await expect(use).toBeVisible();
      await device.answersAtOnce(true);
      await use.click();
      await expectStep(page, 'Your Account');
      await expect(passkeys.getByText('Last used')).toBeVisible();
    });

    await test.step('without it a recovery code does, and the passkey is removed', async () => {
      await signOutHere(page);
      await device.lose();
      await page.goto('/sign-in?return=/account');
      await page.getByLabel('Email').fill(owner.email);
      await page.getByLabel('Password', { exact: true }).fill(owner.password);
      await page.getByRole('main').getByRole('button', { name: 'Sign In' }).click();
      await expectStep(page, 'One More Step');
      // The practice's work is refused to the password alone, and leads back to this step.
      const service = '/rpc/booking.v1.OrganisationStaffService';
      for (const method of ['ListMembers', 'ListInvitations', 'ListMembershipChanges']) {
        complaints.expect(refusal(`${service}/${method}`));
      }
      await page.goto('/organisation');
      await expect(page.getByText('Your second step is needed')).toBeVisible();
      await page.getByRole('link', { name: 'Go to the Second Step' }).click();
      await expectStep(page, 'One More Step');
      await page.getByRole('button', { name: 'Use a recovery code' }).click();
      const field = page.getByLabel('Recovery code');
      await field.fill(code);
      await expectWhole(page, field);
      await page.getByRole('button', { name: 'Confirm', exact: true }).click();
      await expect(page.getByRole('heading', { name: 'Members', exact: true })).toBeVisible();
      await page.goto('/account');
      await expectStep(page, 'Your Account');
      await passkeys.getByRole('button', { name: /^Remove/ }).click();
      await page.getByRole('button', { name: 'Yes, remove it' }).click();
      await expect(passkeys.getByText('You have none yet.')).toBeVisible();
    });
  } finally {
    await close();
  }
});
