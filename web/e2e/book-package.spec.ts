/** A package at /book: from the choice of its dates to the confirmation, paid by a link. */
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { RPC } from './support/answers';
import { BOOK, giveConsent, NOTES, payInTab, proceed, SIGNATURE } from './support/book';
import { expectEase } from './support/ease';
import {
  agreeIfLate,
  expectStep,
  freeDays,
  freeTimes,
  payByCard,
  showDay,
  takeTime,
} from './support/flow';
import { walkTo } from './support/keyboard';
import { look } from './support/look';
import { newPerson, type Person, signInByCode, signUpQuietly } from './support/people';
import { expect, test } from './support/test';
import { refusal } from './support/watch';

/** The package is offered for services of which three sessions do not cost less one by one. */
const DEAR = 'mental-health';
const PACKAGE = `/book?service=${DEAR}&package=starter`;
const PRICE = '₹4,500';

function seeStep(page: Page, name: string): Promise<void> {
  return expectEase(page, name, page.getByRole('main'));
}

function fullName({ firstName, lastName }: Person): string {
  return `${firstName} ${lastName}`;
}

const dates = (page: Page) => page.getByRole('group', { name: 'Your three dates' });
const place = (page: Page, number: number) =>
  dates(page).getByRole('radio', { name: new RegExp(`^Session ${number}`) });
const goOn = (page: Page) => page.getByRole('button', { name: 'Continue with These Dates' });

/** The starts in the address, in their places. */
function slotsOf(page: Page): string[] {
  return (new URL(page.url()).searchParams.get('slots') ?? '').split(',');
}

/** A time in the middle of the last day in sight, which other tests hardly take. */
async function middle(page: Page): Promise<Locator> {
  await showDay(page, freeDays(page).last());
  const times = freeTimes(page);
  return times.nth(Math.floor((await times.count()) / 2));
}

/** Chooses the first date; the others are suggested weekly at its hour. */
async function chooseDates(page: Page): Promise<string[]> {
  const instant = await takeTime(page, await middle(page));
  await expect.poll(() => slotsOf(page)[0]).toBe(instant);
  await page.getByRole('button', { name: 'Suggest three' }).click();
  await expect(page.getByTestId('package-dates').getByRole('status')).toContainText('Suggested:');
  await expect(dates(page).getByText('Not chosen yet')).toHaveCount(0);
  await expect.poll(() => slotsOf(page).filter((slot) => slot).length).toBe(3);
  return slotsOf(page);
}

/** The second date is changed; the others stay. */
async function changeSecond(page: Page, before: string[]): Promise<string[]> {
  await place(page, 2).check();
  const checked = page.getByTestId('times').locator('input:checked');
  await expect(checked).toHaveValue(before[1] ?? '');
  const others = freeTimes(page).and(page.locator(':not(:checked)'));
  const instant = await takeTime(page, others.last());
  const after = [before[0] ?? '', instant, before[2] ?? ''];
  await expect.poll(() => slotsOf(page)).toEqual(after);
  return after;
}

async function expectSessions(page: Page): Promise<void> {
  for (const label of ['Package', 'Session 1', 'Session 2', 'Session 3']) {
    await expect(page.getByRole('main').getByText(label, { exact: true })).toBeVisible();
  }
}

test('a visitor chooses three dates, agrees, signs in, pays by a link and finds them all @phone', async ({
  page,
  practice,
  sandbox,
}) => {
  const person = newPerson('Asha');
  await page.goto('/book');
  await page
    .getByLabel('Session', { exact: true })
    .selectOption({ label: `Starter Package · 3 sessions · ${PRICE}` });
  await expect(page).toHaveURL(`${practice.url}${PACKAGE}`);
  await expect(page.getByTestId('times')).toBeVisible();
  await goOn(page).click();
  await expect(dates(page).getByText('Please choose three dates')).toBeVisible();
  await look(page, 'book-package-missing');
  // On a phone the notice lies over the times while it's shown. A reload ends it at once.
  await page.reload();
  const chosen = await changeSecond(page, await chooseDates(page));
  await page.reload();
  await expect(dates(page).getByText('Not chosen yet')).toHaveCount(0);
  expect(slotsOf(page)).toEqual(chosen);
  await seeStep(page, 'book-package-dates');
  await goOn(page).click();

  await expectStep(page, 'Consent to Online Session');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await page.reload();
  await expect(page.getByText('Starter Package', { exact: true })).toBeVisible();
  await seeStep(page, 'book-package-consent');
  // Back are the dates, and going on again is the same step.
  await page.goBack();
  await expect(place(page, 3)).toBeVisible();
  expect(slotsOf(page)).toEqual(chosen);
  await page.goForward();
  await giveConsent(page, fullName(person), person.email);
  await expectStep(page, 'Sign In Required');
  await expect(page).toHaveURL(/returned=true/);
  expect(slotsOf(page)).toEqual(chosen);
  await signInByCode(page, sandbox, person);

  await expectStep(page, 'Booking Details');
  await seeStep(page, 'book-package-details');
  const tab = await proceed(page);
  await expectSessions(page);
  await seeStep(page, 'book-package-payment');
  await page.reload();
  await expectStep(page, 'Complete Your Payment');
  await expectSessions(page);
  await payInTab(tab, (checkout) => payByCard(checkout, `Pay ${PRICE}`), PRICE);
  await tab.close();

  await expectStep(page, 'Booking Confirmed!');
  await expectSessions(page);
  const main = page.getByRole('main');
  for (const said of [
    "Your meeting link is included. It's the same for all three.",
    'Your sessions are in our calendar',
  ]) {
    await expect(main.getByText(said, { exact: true })).toBeVisible();
  }
  await expect(page.getByRole('link', { name: /^Save Meeting Link/ })).toHaveAttribute(
    'href',
    /^\/join\/bkg_/,
  );
  await seeStep(page, 'book-package-confirmed');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Add to calendar' }).click();
  const file = await readFile(await (await saved).path(), 'utf8');
  expect(file.match(/BEGIN:VEVENT/g)).toHaveLength(3);
  await sandbox.mail(person.email, /^Your sessions are confirmed/);
});

test('of two people and one session of a package, one keeps the other dates @phone', async ({
  page,
  otherPage,
  practice,
  complaints,
}) => {
  complaints.expect(refusal(RPC.requestBooking));
  const people = [newPerson('Damini'), newPerson('Esha')] as const;
  await signUpQuietly(page, practice.url, people[0]);
  await signUpQuietly(otherPage, practice.url, people[1]);
  await otherPage.goto(PACKAGE);
  const chosen = await chooseDates(otherPage);
  await goOn(otherPage).click();
  await giveConsent(otherPage, fullName(people[1]), people[1].email);
  await expectStep(otherPage, 'Booking Details');
  await otherPage.getByLabel('Special requests').fill(NOTES);

  // The first one takes the second date for a single session.
  await page.goto(`${BOOK}&slot=${chosen[1]}&step=calendar-terms`);
  await giveConsent(page, fullName(people[0]), people[0].email);
  await (await proceed(page)).close();

  await agreeIfLate(otherPage);
  await otherPage.getByRole('button', { name: 'Proceed to Payment' }).click();
  await expectStep(otherPage, 'Book a Session');
  await expect(otherPage.getByText(/was just taken$/)).toBeVisible();
  await expect(
    otherPage.getByText('Please choose another time for session 2. Your other dates are kept.'),
  ).toBeVisible();
  await expect.poll(() => slotsOf(otherPage)).toEqual([chosen[0], '', chosen[2]]);
  await expect(place(otherPage, 2)).toBeChecked();
  await look(otherPage, 'book-package-taken');
  await takeTime(otherPage, freeTimes(otherPage).first());
  await expect(dates(otherPage).getByText('Not chosen yet')).toHaveCount(0);
  await goOn(otherPage).click();
  await expectStep(otherPage, 'Booking Details');
  await expect(otherPage.getByLabel('Special requests')).toHaveValue(NOTES);
  await (await proceed(otherPage)).close();
  await expectSessions(otherPage);

  // The hold of a package is kept for its client, at its dates and on the first view.
  await otherPage.goto('/book');
  await expect(otherPage.getByText(/^Your times are kept until/)).toBeVisible();
  await look(otherPage, 'book-package-kept');
  await otherPage.getByRole('button', { name: 'Go On to Payment' }).click();
  await expectStep(otherPage, 'Complete Your Payment');
});

test('a visitor who leaves the sign-in comes back to the dates of the package', async ({
  page,
}) => {
  await page.goto(PACKAGE);
  const chosen = await chooseDates(page);
  await goOn(page).click();
  await giveConsent(page, 'Gita Verma', 'gita@example.com');
  await expectStep(page, 'Sign In Required');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(/auth=cancelled/);
  expect(slotsOf(page)).toEqual(chosen);
  await look(page, 'book-package-cancelled');
  await page.getByRole('button', { name: 'Go on with your dates' }).click();
  await expectStep(page, 'Sign In Required');
});

test('a package is booked at /book by keyboard alone', async ({ page, practice }) => {
  const person = newPerson('Keys');
  await signUpQuietly(page, practice.url, person);
  await page.goto('/book?package=starter');
  await expect(page.getByTestId('times')).toBeVisible();
  await walkTo(page, goOn(page));
  await page.keyboard.press('Enter');
  // What is missing is said, and the free times have the focus.
  await expect(freeTimes(page).first()).toBeFocused();
  // The walk begins at the top of the page again.
  await page.getByRole('heading', { level: 1 }).focus();
  await walkTo(page, page.getByRole('button', { name: 'Suggest three' }));
  await page.keyboard.press('Enter');
  await expect(dates(page).getByText('Not chosen yet')).toHaveCount(0);
  await page.getByRole('heading', { level: 1 }).focus();
  await walkTo(page, place(page, 1));
  await page.keyboard.press('ArrowRight');
  await expect(place(page, 2)).toBeChecked();
  await expect(place(page, 2)).toBeFocused();
  await walkTo(page, goOn(page));
  await page.keyboard.press('Enter');

  await expectStep(page, 'Consent to Online Session');
  await walkTo(page, page.getByLabel('Signature'));
  await page.keyboard.type(SIGNATURE);
  await walkTo(page, page.getByRole('main').getByRole('checkbox'));
  await page.keyboard.press('Space');
  await walkTo(page, page.getByRole('button', { name: 'Accept & Continue to Payment' }));
  await page.keyboard.press('Enter');
  await expectStep(page, 'Booking Details');
  await agreeIfLate(page);
  await walkTo(page, page.getByRole('button', { name: 'Proceed to Payment' }));
  const opened = page.context().waitForEvent('page');
  await page.keyboard.press('Enter');
  await (await opened).close();
  await expectStep(page, 'Complete Your Payment');
  await expectSessions(page);
});
