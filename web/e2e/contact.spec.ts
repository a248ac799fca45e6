/** Writing to the practice, and the two mails that follow. */
import type { Page } from '@playwright/test';
import { look } from './support/look';
import { newPerson, type Person } from './support/people';
import { writeMessage } from './support/rpc';
import { headerOf, type Mail, type Sandbox } from './support/sandbox';
import { expect, expectToast, test } from './support/test';
import { refusal } from './support/watch';

const CALL = '/rpc/notifications.v1.NotificationsService/SendContactMessage';
/** Customers' answers go to the first address, notices to the practice to the second. */
const PRACTICE = 'hello@sukoon.example';
const NOTICES = 'bookings@sukoon.example';
const WORDS = 'Is there a free hour on Saturday?\nI would like to come with my sister.';
/** What one address may send in an hour. */
const MESSAGES_AN_HOUR = 5;

function nameOf({ firstName, lastName }: Person): string {
  return `${firstName} ${lastName}`;
}

async function fill(page: Page, person: Person): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(nameOf(person));
  await page.getByLabel('Email', { exact: true }).fill(person.email);
  await page.getByLabel('Message', { exact: true }).fill(WORDS);
}

async function expectTyped(page: Page, person: Person): Promise<void> {
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue(nameOf(person));
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(person.email);
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue(WORDS);
}

/** Those of the practice's mails that can be answered to this person. */
async function received(sandbox: Sandbox, { email }: Person): Promise<Mail[]> {
  const mails = await sandbox.inbox(NOTICES);
  return mails.filter((mail) => headerOf(mail, 'Reply-To')?.includes(email));
}

test('a message arrives once, and so does the note that it did @phone', async ({
  page,
  sandbox,
}) => {
  const person = newPerson('Ila');
  const answer = await page.goto('/contact');
  expect(answer?.status()).toBe(200);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Get in Touch');
  await expect(page.getByRole('link', { name: /WhatsApp/ })).toHaveAttribute(
    'href',
    /wa\.me\/\d+$/,
  );
  await look(page, 'contact');

  const send = page.getByRole('button', { name: 'Send Message' });
  await page.getByLabel('Email', { exact: true }).fill(person.email);
  await page.getByLabel('Message', { exact: true }).fill('  \n ');
  await send.click();
  await expect(page.getByRole('alert')).toHaveText('Please fill in all fields');
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused();
  await look(page, 'contact-incomplete');

  await fill(page, person);
  await expect(page.getByRole('alert')).toBeHidden();
  await send.dblclick();
  await expectToast(page, 'Thank you for your message!');
  await expect(page.getByText("Thanks, we've got your message")).toBeVisible();
  for (const label of ['Name', 'Email', 'Message']) {
    await expect(page.getByLabel(label, { exact: true })).toHaveValue('');
  }
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await look(page, 'contact-sent');

  const note = await sandbox.mail(person.email, /message/);
  expect(headerOf(note, 'Reply-To')).toContain(PRACTICE);
  // A foreign address in the form must not make us send mail with the writer's words to it.
  for (const text of [note.text, note.html]) {
    expect(text).not.toContain('Saturday');
    expect(text).not.toContain(person.lastName);
  }
  await expect.poll(async () => (await received(sandbox, person)).length).toBe(1);
  const [message] = await received(sandbox, person);
  expect(headerOf(message as Mail, 'Reply-To')).toContain(nameOf(person));
  expect(message?.from).not.toContain(person.email);
  expect(message?.text).toContain('Is there a free hour on Saturday?');
  expect(message?.subject).not.toContain(nameOf(person));
});

test('what was typed outlives a server that is away, and a reload @phone', async ({
  page,
  complaints,
  practice,
  sandbox,
}) => {
  const person = newPerson('Jaya');
  complaints.expect(refusal(CALL));
  await page.goto('/contact');
  await fill(page, person);
  const mails = practice.keepDown('notifications');
  await page.getByRole('button', { name: 'Send Message' }).click();
  const told = page.getByRole('alert');
  await expect(told).toContainText(
    'Failed to send message. Please try again or contact us directly.',
    { timeout: 60_000 },
  );
  await expectTyped(page, person);
  await look(page, 'contact-failed');
  await page.reload();
  await expectTyped(page, person);
  await mails.release();

  await page.getByRole('button', { name: 'Send Message' }).click();
  await expectToast(page, 'Thank you for your message!');
  await sandbox.mail(person.email, /message/);
  await expect.poll(async () => (await received(sandbox, person)).length).toBe(1);
  await page.reload();
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('');
});

test('an answer that was lost makes no second message', async ({ page, complaints, sandbox }) => {
  const person = newPerson('Kavi');
  complaints.expect(/request failed: .*SendContactMessage/, /ERR_FAILED .*SendContactMessage/);
  await page.goto('/contact');
  await fill(page, person);
  let lost = false;
  await page.route(`**${CALL}`, async (route) => {
    if (lost) return route.continue();
    lost = true;
    await route.fetch();
    await route.abort('failed');
  });
  await page.getByRole('button', { name: 'Send Message' }).click();
  await expect(page.getByRole('alert')).toContainText('Failed to send message.');
  await expectTyped(page, person);
  await page.getByRole('button', { name: 'Send Message' }).click();
  await expectToast(page, 'Thank you for your message!');
  await sandbox.mail(person.email, /message/);
  await expect.poll(async () => (await received(sandbox, person)).length).toBe(1);
});

test('leaving and coming back while a message is sent sends it once', async ({ page, sandbox }) => {
  const person = newPerson('Kiran');
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(`**${CALL}`, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/contact');
  await fill(page, person);
  await page.getByRole('button', { name: 'Send Message' }).click();
  await page.getByRole('contentinfo').getByRole('link', { name: 'FAQ' }).click();
  await expect(page).toHaveURL(/\/faq$/);
  await page.goBack();
  await expectTyped(page, person);
  const sending = page.getByRole('button', { name: 'Sending...' });
  await expect(sending).toHaveAttribute('aria-disabled', 'true');
  answer();
  await expectToast(page, 'Thank you for your message!');
  await expect(page.getByText("Thanks, we've got your message")).toBeVisible();
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('');
  await sandbox.mail(person.email, /message/);
  await expect.poll(async () => (await received(sandbox, person)).length).toBe(1);
});

test('too many messages are answered kindly', async ({ page, complaints, practice }) => {
  const person = newPerson('Lata');
  complaints.expect(refusal(CALL));
  for (let number = 1; number <= MESSAGES_AN_HOUR; number += 1) {
    await writeMessage(practice.url, person.email, number);
  }
  await page.goto('/contact');
  await fill(page, person);
  await page.getByRole('button', { name: 'Send Message' }).click();
  await expect(page.getByRole('alert').or(page.getByRole('status'))).toContainText([
    'please send it again a little later, or call us',
  ]);
  await expectTyped(page, person);
  await look(page, 'contact-too-many');
});

test('a message can be written without a mouse', async ({ page, sandbox }) => {
  const person = newPerson('Mina');
  await page.goto('/contact');
  await page.getByLabel('Name', { exact: true }).focus();
  await page.keyboard.type(nameOf(person));
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Email', { exact: true })).toBeFocused();
  await page.keyboard.type(person.email);
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Message', { exact: true })).toBeFocused();
  await page.keyboard.type('Hello.');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Send Message' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expectToast(page, 'Thank you for your message!');
  await sandbox.mail(person.email, /message/);
});
