/** Preferences of mails: a client without reminders gets none, and one for four hours before comes then. */
import type { Page } from '@playwright/test';
import { SERVICE } from './support/flow';
import { ownStarts } from './support/own-days';
import { ownPracticeTest } from './support/own-practice';
import { newPerson, type Person, signUpQuietly } from './support/people';
import type { Practice } from './support/practice';
import { bookSession } from './support/rpc';
import type { Sandbox } from './support/sandbox';
import { expect } from './support/test';

const test = ownPracticeTest('mail-preferences');

test.describe.configure({ timeout: 300_000 });

/** Where mails are chosen, and what the page says. */
const PLACE = '/account/sessions';
const WORDS = {
  open: 'Mails about sessions',
  usual: '24 hours before',
  fourHours: '4 hours before',
  none: "You'll get no reminder. The confirmation and changes still come.",
  save: 'Save',
  saved: 'Saved. It holds for all of your sessions.',
};
const REMINDER = /^(A reminder of your session|Your session starts soon)/;
const HOUR_MS = 3_600_000;
const SERVICES = ['booking', 'payments', 'notifications'];

async function passUntil(practice: Practice, at: number): Promise<void> {
  const now = Date.now() / 60_000 + (await practice.minutesPassed());
  await practice.passMinutes(Math.ceil(at / 60_000 - now), SERVICES);
}

/** The practice reminds a day before: that is taken away, and other hours are chosen. */
async function choose(page: Page, ...hours: string[]): Promise<void> {
  await page.goto(PLACE);
  await page.getByText(WORDS.open, { exact: true }).click();
  await page.getByLabel(WORDS.usual, { exact: true }).uncheck();
  if (hours.length === 0) await expect(page.getByText(WORDS.none)).toBeVisible();
  for (const words of hours) await page.getByLabel(words, { exact: true }).check();
  await page.getByRole('button', { name: WORDS.save, exact: true }).click();
  await expect(page.getByText(WORDS.saved)).toBeVisible();
}

async function remindersOf(sandbox: Sandbox, { email }: Person): Promise<number> {
  const mails = await sandbox.inbox(email);
  return mails.filter(({ subject }) => REMINDER.test(subject)).length;
}

test('no reminder is sent where none is wanted, and one four hours before where that is @phone-only', async ({
  page,
  otherPage,
  practice,
  sandbox,
}) => {
  const [none, four] = [newPerson('Lata'), newPerson('Mohan')];
  const [, start = ''] = await ownStarts(practice.url, SERVICE);
  const tokenOf = {
    none: await signUpQuietly(page, practice.url, none),
    four: await signUpQuietly(otherPage, practice.url, four),
  };
  // One before it booked, the other one afterwards: it holds for both.
  await choose(page);
  await bookSession(practice, sandbox, { person: none, token: tokenOf.none });
  await bookSession(practice, sandbox, { person: four, token: tokenOf.four });
  await choose(otherPage, WORDS.fourHours);

  // Later than the practice's own reminder of both, and earlier than the one that is wanted.
  await passUntil(practice, Date.parse(start) - 5 * HOUR_MS);
  expect(await remindersOf(sandbox, four)).toBe(0);
  await passUntil(practice, Date.parse(start) - 4 * HOUR_MS + HOUR_MS / 10);
  await sandbox.mail(four.email, REMINDER);
  expect(await remindersOf(sandbox, four)).toBe(1);
  expect(await remindersOf(sandbox, none)).toBe(0);
});
