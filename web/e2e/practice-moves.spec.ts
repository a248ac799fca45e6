/**
 * Sessions that the practice cannot hold: its client chooses one of three times by one tap, or gets everything
 * back by itself; or another practitioner gives the session.
 */
import type { Locator, Page } from '@playwright/test';
import { SERVICE } from './support/flow';
import { expectSome } from './support/lists';
import { look } from './support/look';
import { ownStarts } from './support/own-days';
import { ownPracticeTest, passUntil } from './support/own-practice';
import { signInOwner } from './support/owner';
import { newPerson, signUpQuietly } from './support/people';
import { bookSession } from './support/rpc';
import { button, CHOOSE_LINK, dialogOf, mailWith, WORDS } from './support/session-page';
import { expect, expectToast } from './support/test';
import { chooseByValue, timeOnPage } from './support/times';
import { practiceOfTwo } from './support/two-practitioners';

const test = ownPracticeTest('practice-moves', (folder) => ({
  PRACTICE_DIR: practiceOfTwo(folder),
}));

test.describe.configure({ timeout: 300_000 });

/** What the desk says. */
const DESK = {
  acts: /^What to do… with/,
  ask: 'Ask for another time…',
  asked: /^Asked to choose another time until /,
  move: 'Move…',
  why: 'Why',
};
const REASON = 'The doctor is ill.';
const CANCELLED = /^Your session is cancelled/;
const [HOUR_MS, MINUTE_MS] = [3_600_000, 60_000];

async function openActs(desk: Page, bookingId: string): Promise<Locator> {
  await desk.goto(`/desk/bookings/${bookingId}`);
  await button(desk, DESK.acts).click();
  return desk.getByRole('dialog');
}

/** Asks the client for another time, at the desk. */
async function askForTime(desk: Page, bookingId: string, name: string): Promise<void> {
  await button(await openActs(desk, bookingId), DESK.ask).click();
  const dialog = dialogOf(desk, `Ask ${name} for another time`);
  await expect(dialog.getByText(/: everything goes back by itself\.$/)).toBeVisible();
  await dialog.getByLabel(DESK.why).fill(REASON);
  await look(desk, 'desk-ask-time');
  await button(dialog, `Ask ${name}`).click();
  await expectToast(desk, `${name} is asked for another time`);
  await expect(desk.getByText(DESK.asked)).toBeVisible();
}

test('a client chooses one of three times by one tap and one press @phone-only', async ({
  page,
  otherPage,
  practice,
  sandbox,
}) => {
  const person = newPerson('Ila');
  const token = await signUpQuietly(otherPage, practice.url, person);
  const bookingId = await bookSession(practice, sandbox, { person, token });
  await signInOwner(page, practice);
  await askForTime(page, bookingId, 'Ila Verma');

  const { text, html } = await mailWith(sandbox, person.email, CHOOSE_LINK);
  expect(`${text}${html}`).not.toContain(REASON);
  const links = new Set(text.match(CHOOSE_LINK));
  expect(links.size).toBe(3);
  const [link = ''] = links;
  const chosen = new Date(decodeURIComponent(/choose=(.+)$/.exec(link)?.[1] ?? ''));

  await otherPage.goto(link);
  await look(otherPage, 'session-choose');
  // The tap alone changes nothing; the press does, and asks for no code.
  await expect(button(otherPage, WORDS.sendCode)).toHaveCount(0);
  await button(otherPage, WORDS.moveTo).click();
  await expect(otherPage.getByText(/^Moved to /)).toBeVisible();
  await expect(otherPage.getByText(timeOnPage(chosen))).toBeVisible();

  await page.reload();
  await expect(page.getByText(timeOnPage(chosen))).toBeVisible();
  await expect(page.getByText(DESK.asked)).toHaveCount(0);
  await expect(page.getByText(`Why, by you: “${REASON}”`)).toBeVisible();
});

test('another practitioner gives the session, and the history says why @phone-only', async ({
  page,
  otherPage,
  practice,
  sandbox,
}) => {
  const person = newPerson('Juhi');
  const token = await signUpQuietly(otherPage, practice.url, person);
  const bookingId = await bookSession(practice, sandbox, { person, token });
  const to = new Date((await ownStarts(practice.url, SERVICE)).at(-1) ?? '');
  await signInOwner(page, practice);
  await button(await openActs(page, bookingId), DESK.move).click();
  const dialog = dialogOf(page, 'Move for Juhi Verma');
  const other = dialog
    .getByRole('group', { name: 'With', exact: true })
    .locator('input:not([value=""])');
  await other.check();
  await chooseByValue(dialog, to);
  await dialog.getByLabel(DESK.why).fill(REASON);
  const confirm = button(dialog, / with (Meera Joshi|Ravi Menon)$/);
  const name = / with (.+)$/.exec((await confirm.textContent()) ?? '')?.[1] ?? '';
  await confirm.click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText(new RegExp(`with ${name}$`))).toBeVisible();
  await expect(page.getByText(`Why, by you: “${REASON}”`)).toBeVisible();
  await otherPage.goto(`/account/sessions/${bookingId}`);
  await expect(otherPage.getByText(timeOnPage(to))).toBeVisible();
  await expectSome(otherPage.getByText(name));
});

// The last one, because it moves the clock.
test('a client who chooses nothing gets everything back by itself @phone-only', async ({
  page,
  otherPage,
  practice,
  sandbox,
}) => {
  const person = newPerson('Kiran');
  const token = await signUpQuietly(otherPage, practice.url, person);
  const [from = ''] = await ownStarts(practice.url, SERVICE);
  const bookingId = await bookSession(practice, sandbox, { person, token });
  await signInOwner(page, practice);
  await askForTime(page, bookingId, 'Kiran Verma');
  await mailWith(sandbox, person.email, CHOOSE_LINK);

  const over = Date.parse(from) - 24 * HOUR_MS + MINUTE_MS;
  await passUntil(practice, new Date(over), [page, otherPage]);
  const { text } = await sandbox.mail(person.email, CANCELLED);
  expect(text).toContain('₹500');
  await otherPage.goto(`/account/sessions/${bookingId}`);
  await expect(otherPage.getByText('Refund complete')).toBeVisible();
});
