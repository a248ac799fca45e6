/**
 * Writing to the practice by all services, and the two mails that follow. What the form says and does
 * is in src/features/contact/components/contact-page.test.tsx.
 */
import type { Page } from '@playwright/test';
import { newPerson, type Person } from './support/people';
import { headerOf, type Mail, type Sandbox } from './support/sandbox';
import { expect, expectToast, test } from './support/test';
import { refusal } from './support/watch';

const CALL = '/rpc/notifications.v1.NotificationsService/SendContactMessage';
/** Customers' answers go to the first address, notices to the practice to the second. */
const PRACTICE = 'hello@sukoon.example';
const NOTICES = 'bookings@sukoon.example';
const WORDS = 'Is there a free hour on Saturday?\nI would like to come with my sister.';

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

test('what is typed outlives a server that is away and a reload, and arrives once', async ({
  page,
  complaints,
  practice,
  sandbox,
}) => {
  const person = newPerson('Ila');
  complaints.expect(refusal(CALL));
  await page.goto('/contact');
  await fill(page, person);
  const mails = practice.keepDown('notifications');
  const send = page.getByRole('button', { name: 'Send Message' });
  await send.click();
  await expect(page.getByRole('alert')).toContainText(
    'Failed to send message. Please try again or contact us directly.',
    { timeout: 60_000 },
  );
  await expectTyped(page, person);
  await page.reload();
  await expectTyped(page, person);
  await mails.release();

  await send.dblclick();
  await expectToast(page, 'Thank you for your message!');
  await expect(page.getByText("Thanks, we've got your message")).toBeVisible();
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await page.reload();
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('');

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
