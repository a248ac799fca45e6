/**
 * A session around its time, through all services: its client corrects a phone number, runs late, and asks
 * for a refund, which staff answer at the desk.
 */
import type { Page } from '@playwright/test';
import { SERVICE } from './support/flow';
import { look } from './support/look';
import { ownStart } from './support/own-days';
import { ownPracticeTest, passUntil } from './support/own-practice';
import { signInOwner } from './support/owner';
import { newPerson, signUpQuietly } from './support/people';
import { bookSession } from './support/rpc';
import type { Mail } from './support/sandbox';
import { expect, expectToast } from './support/test';

const test = ownPracticeTest('refund-requests');

// A client and a member, and looks at what they see.
test.describe.configure({ timeout: 300_000 });

const REASON = 'The sound went away twice.';
const ANSWER = 'We are sorry for the sound.';
const PRACTICE = 'bookings@sukoon.example';
const MINUTE_MS = 60_000;

/** Corrects the number and says that the client comes late. */
async function correctAndRunLate(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Correct name, phone or note' }).click();
  const dialog = page.getByRole('dialog', { name: 'Correct your details' });
  await dialog.getByLabel('Phone').fill('98930 12345');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Your details are corrected');
  await page.getByRole('button', { name: '10 minutes', exact: true }).click();
  await expect(page.getByText('You told the practice: 10 minutes late.')).toBeVisible();
  await look(page, 'session-late');
}

/** What the desk's Today says of the session. */
async function expectAtDesk(desk: Page): Promise<void> {
  await desk.goto('/desk');
  const row = desk.getByRole('button', { name: /Gita Verma/ });
  await expect(row).toContainText('10 min late, told at');
  await row.click();
  const sheet = desk.getByRole('dialog', { name: 'Gita Verma' });
  await expect(sheet).toContainText(/\+91\s98930\s12345/);
  await expect(sheet.getByRole('link', { name: 'Call' })).toHaveAttribute(
    'href',
    'tel:+919893012345',
  );
}

/** Asks for a refund; says the number of the request. */
async function askForRefund(page: Page): Promise<string> {
  await page.getByRole('button', { name: /^Ask for a refund until / }).click();
  const dialog = page.getByRole('dialog', { name: 'Ask for a refund?' });
  await dialog.getByLabel('Why?').fill(REASON);
  await dialog.getByRole('button', { name: 'Ask for a refund', exact: true }).click();
  const heading = page.getByRole('heading', { name: /^Your refund request R-\d+$/ });
  await expect(heading).toBeVisible();
  await expect(page.getByText(/^You get our answer by /)).toBeVisible();
  return /R-\d+/.exec((await heading.textContent()) ?? '')?.[0] ?? '';
}

/** Gives back a part from the task. */
async function giveAPart(desk: Page, number: string): Promise<void> {
  await desk.goto('/desk/tasks');
  const title = desk.getByText(`A client asks for a refund: ${number}`);
  await expect(title).toBeVisible();
  await expect(desk.getByText(REASON)).toBeVisible();
  await look(desk, 'desk-refund-request');
  await desk.getByRole('button', { name: `Answer ${number}…` }).click();
  const dialog = desk.getByRole('dialog', { name: `Answer ${number} of Gita Verma` });
  await dialog.getByRole('radio', { name: 'A part' }).check();
  await dialog.getByLabel('How much, in rupees').fill('200');
  await dialog.getByLabel('What the client reads').fill(ANSWER);
  await dialog.getByRole('button', { name: 'Give ₹200 back' }).click();
  await expectToast(desk, `${number}: ₹200 goes back to Gita Verma`);
  await expect(title).toHaveCount(0);
}

function wordsOf({ subject, text, html }: Mail): string {
  return [subject, text, html].join('\n');
}

test('a client who is late asks for a refund, and reads at the session what was answered @phone-only', async ({
  page,
  otherPage,
  practice,
  sandbox,
}) => {
  const person = newPerson('Gita');
  const token = await signUpQuietly(page, practice.url, person);
  const start = new Date(await ownStart(practice.url, SERVICE));
  const bookingId = await bookSession(practice, sandbox, { person, token });
  const pages = [page, otherPage];

  await passUntil(practice, new Date(start.getTime() - 20 * MINUTE_MS), pages);
  await page.goto(`/account/sessions/${bookingId}`);
  await correctAndRunLate(page);
  await signInOwner(otherPage, practice);
  await expectAtDesk(otherPage);

  await passUntil(practice, new Date(start.getTime() + MINUTE_MS), pages);
  await page.goto(`/account/sessions/${bookingId}`);
  const number = await askForRefund(page);
  await sandbox.mail(person.email, new RegExp(`^We have your request for a refund, ${number}$`));
  await sandbox.mail(PRACTICE, new RegExp(`^A request for a refund: ${number}, booking `));

  await giveAPart(otherPage, number);
  const answered = await sandbox.mail(person.email, /^You get ₹200 back: your request /);
  expect(answered.subject).toContain(number);
  expect(answered.text).toContain(ANSWER);
  const mails = [...(await sandbox.inbox(person.email)), ...(await sandbox.inbox(PRACTICE))];
  expect(mails.filter((mail) => wordsOf(mail).includes(REASON))).toEqual([]);

  await page.reload();
  await expect(page.getByRole('heading', { name: `Your refund request ${number}` })).toBeVisible();
  await expect(page.getByText('₹200 goes back to you.')).toBeVisible();
  await expect(page.getByText(ANSWER)).toBeVisible();
  await expect(page.getByText(REASON)).toBeVisible();
  await look(page, 'refund-answered');
});
