/** How many presses a client needs from a mail: to open it is the first. More than these are too many. */
import type { Locator, Page } from '@playwright/test';
import { toInstant } from '../src/lib/instant';
import { expectStep, SERVICE } from './support/flow';
import { ownStart, ownStarts } from './support/own-days';
import { ownPracticeTest, passUntil } from './support/own-practice';
import { newPerson, signUpQuietly } from './support/people';
import { bookSession } from './support/rpc';
import { button, dialogOf, sessionLink, typeMailedCode, undo, WORDS } from './support/session-page';
import { expect } from './support/test';
import { timeOnPage } from './support/times';

const test = ownPracticeTest('session-taps');

test.describe.configure({ timeout: 300_000 });

const MOST = { see: 1, cancel: 3, move: 4, nextWeek: 3 };
const HOUR_MS = 3_600_000;

/** Another free time of the same day; the practice's hours are of one date in its zone and in UTC. */
async function laterThatDay(site: string, start: Date): Promise<Date> {
  const date = toInstant(start).slice(0, 10);
  const last = (await ownStarts(site, SERVICE)).findLast((one) => one.startsWith(date));
  if (!last) throw new Error('No other time of that day is free.');
  return new Date(last);
}

/** What the page and the booking say. */
const REPEAT = {
  row: /^Next week/,
  book: /^Book/,
  terms: 'I agree to these simple terms',
  pay: 'Continue to Payment',
  paying: 'Complete Your Payment',
};

/** Counts what a person presses. What is typed or ticked as a declaration is none. */
class Presses {
  count = 0;

  async press(what: Locator): Promise<void> {
    this.count += 1;
    await what.click();
  }

  /** The tap on the link of the mail. It opens a page anew, also where the last one was the same. */
  async open(page: Page, link: string): Promise<void> {
    this.count += 1;
    await page.goto('about:blank');
    await page.goto(link);
  }
}

async function see(page: Page, link: string, start: Date): Promise<number> {
  const presses = new Presses();
  await presses.open(page, link);
  await expect(page.getByText(timeOnPage(start))).toBeVisible();
  return presses.count;
}

async function cancel(page: Page, link: string): Promise<number> {
  const presses = new Presses();
  await presses.open(page, link);
  await presses.press(button(page, WORDS.cancel));
  await presses.press(button(dialogOf(page, WORDS.cancelDialog), WORDS.cancelAll));
  await expect(button(page, WORDS.undo)).toBeVisible();
  await undo(page);
  return presses.count;
}

type Move = { to: Date; typeCode: (form: Locator) => Promise<void> };

async function move(page: Page, link: string, { to, typeCode }: Move): Promise<number> {
  const presses = new Presses();
  await presses.open(page, link);
  await presses.press(button(page, WORDS.move));
  const dialog = dialogOf(page, WORDS.move);
  // The day of the session is shown.
  await presses.press(dialog.locator(`input[value="${toInstant(to)}"]`));
  await typeCode(dialog);
  await presses.press(button(dialog, WORDS.moveTo));
  await expect(page.getByText(/^Moved to /)).toBeVisible();
  return presses.count;
}

async function bookNextWeek(page: Page, link: string): Promise<number> {
  const presses = new Presses();
  await presses.open(page, link);
  const row = page.getByRole('listitem').filter({ hasText: REPEAT.row });
  await presses.press(row.getByRole('link', { name: REPEAT.book }));
  await page.getByLabel(REPEAT.terms).check();
  await presses.press(button(page, REPEAT.pay));
  await expectStep(page, REPEAT.paying);
  return presses.count;
}

test('from a mail a client sees, cancels, moves and books again in few taps @phone-only', async ({
  page,
  practice,
  sandbox,
}) => {
  const person = newPerson('Omkar');
  const token = await signUpQuietly(page, practice.url, person);
  const start = new Date(await ownStart(practice.url, SERVICE));
  await bookSession(practice, sandbox, { person, token });
  const link = await sessionLink(sandbox, person.email);
  const to = await laterThatDay(practice.url, start);
  const { email } = person;
  const typeCode = (form: Locator) => typeMailedCode(form, { sandbox, email, before: 0 });

  expect(await see(page, link, start)).toBeLessThanOrEqual(MOST.see);
  expect(await cancel(page, link)).toBeLessThanOrEqual(MOST.cancel);
  expect(await move(page, link, { to, typeCode })).toBeLessThanOrEqual(MOST.move);
  // It is over, and the page shows it for two hours more; then it says no more than its money.
  await passUntil(practice, new Date(to.getTime() + 2 * HOUR_MS), [page]);
  expect(await bookNextWeek(page, link)).toBeLessThanOrEqual(MOST.nextWeek);
});
