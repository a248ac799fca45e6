/** A booking's page by the key of a mail, without a sign-in: seen, cancelled, moved, and late. */
import type { Page } from '@playwright/test';
import { bookByPhone, PAGE_ADDRESS } from './support/by-phone';
import { expectStep, SERVICE } from './support/flow';
import { ownStarts } from './support/own-days';
import { ownPracticeTest, passUntil } from './support/own-practice';
import { newPerson, signUpQuietly } from './support/people';
import { bookingVersion, bookSession } from './support/rpc';
import {
  askAndTypeCode,
  button,
  cancelByTwoPresses,
  chooseMove,
  dialogOf,
  sessionLink,
  typeMailedCode,
  undo,
  WORDS,
} from './support/session-page';
import { expect } from './support/test';
import { timeOnPage } from './support/times';

const test = ownPracticeTest('session-page');

test.describe.configure({ timeout: 300_000 });

const HELD = /^Your time is held until/;
const HOUR_MS = 3_600_000;

/** Opens the link and loads the page again and again, as scanners of mails do. */
async function openOften(page: Page, link: string): Promise<void> {
  await page.goto(link);
  for (let times = 0; times < 3; times += 1) {
    await expect(button(page, WORDS.cancel)).toBeVisible();
    expect(page.url()).not.toContain('key=');
    await page.reload();
  }
}

test('the page of a booking by phone has the same acts @phone-only', async ({
  page,
  practice,
  sandbox,
}) => {
  const person = newPerson('Tara');
  const { bookingId } = await bookByPhone(practice, person, '--mode', 'in-person');
  practice.staff('pay-at-desk', bookingId, '500', '--way', 'cash', '--yes');
  const { text } = await sandbox.mail(person.email, HELD);
  await page.goto(PAGE_ADDRESS.exec(text)?.[0] ?? '');
  await cancelByTwoPresses(page);
  await undo(page);
  const to = new Date((await ownStarts(practice.url, SERVICE)).at(-1) ?? '');
  const moving = await chooseMove(page, to);
  await expect(moving.getByLabel(WORDS.code)).toBeVisible();
  await expect(button(moving, WORDS.moveTo)).toBeVisible();
});

// The last one, because it moves the clock.
test('by a mail alone a client sees, cancels, takes that back, and moves with six digits @phone-only', async ({
  page,
  otherPage,
  practice,
  sandbox,
}) => {
  const person = newPerson('Nila');
  const token = await signUpQuietly(otherPage, practice.url, person);
  const [from = ''] = await ownStarts(practice.url, SERVICE);
  const bookingId = await bookSession(practice, sandbox, { person, token });
  const link = await sessionLink(sandbox, person.email);
  const version = await bookingVersion(practice, { person, token }, bookingId);

  await openOften(page, link);
  await expectStep(page, WORDS.title);
  await expect(page.getByText(timeOnPage(new Date(from)))).toBeVisible();
  expect(await bookingVersion(practice, { person, token }, bookingId)).toBe(version);

  await cancelByTwoPresses(page);
  await undo(page);

  const to = new Date((await ownStarts(practice.url, SERVICE)).at(-1) ?? '');
  const moving = await chooseMove(page, to);
  await typeMailedCode(moving, { sandbox, email: person.email, before: 0 });
  await button(moving, WORDS.moveTo).click();
  await expect(page.getByText(/^Moved to /)).toBeVisible();
  await expect(page.getByText(timeOnPage(to))).toBeVisible();

  // Where money is lost the link alone does not cancel.
  await passUntil(practice, new Date(to.getTime() - 2 * HOUR_MS), [page]);
  // The link alone would stay on the page, whose clock is that of before.
  await page.goto('about:blank');
  await page.goto(link);
  await button(page, WORDS.cancel).click();
  const late = dialogOf(page, WORDS.cancelDialog);
  await expect(button(late, WORDS.sendCode)).toBeVisible();
  await expect(button(late, WORDS.cancelLate)).toHaveCount(0);
  await askAndTypeCode(late, sandbox, person.email);
  await button(late, WORDS.cancelLate).click();
  await expect(button(page, WORDS.undo)).toBeVisible();
});
