/** A package at /book: from the choice of its dates to the confirmation, paid by a link. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { giveConsent, payInTab, proceed } from './support/book';
import { expectSizes } from './support/ease';
import { expectStep, firstFreeTime, payByCard, takeOtherTime, takeOwnTime } from './support/flow';
import { walkTo } from './support/keyboard';
import { newPerson, type Person, signInByCode } from './support/people';
import { expect, test } from './support/test';

/** The package is offered for services of which three sessions do not cost less one by one. */
const DEAR = 'mental-health';
const PACKAGE = `/book?service=${DEAR}&package=starter`;
const PRICE = '₹4,500';

function seeStep(page: Page, name: string): Promise<void> {
  return expectSizes(page, name, page.getByRole('main'));
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

/** Chooses the first date; the others are suggested weekly at its hour. */
async function chooseDates(page: Page): Promise<string[]> {
  const instant = await takeOwnTime(page);
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
  const instant = await takeOtherTime(page);
  const after = [before[0] ?? '', instant, before[2] ?? ''];
  await expect.poll(() => slotsOf(page)).toEqual(after);
  return after;
}

async function expectSessions(page: Page): Promise<void> {
  for (const label of ['Package', 'Session 1', 'Session 2', 'Session 3']) {
    await expect(page.getByRole('main').getByText(label, { exact: true })).toBeVisible();
  }
}

test('a visitor chooses three dates, agrees, signs in, pays by a link and finds them all', async ({
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
  // A reload ends the notice at once.
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

test('the dates of a package are chosen at /book by keyboard alone', async ({ page }) => {
  await page.goto('/book?package=starter');
  await expect(page.getByTestId('times')).toBeVisible();
  await walkTo(page, goOn(page));
  await page.keyboard.press('Enter');
  // What is missing is said, and the free times have the focus.
  await expect(firstFreeTime(page)).toBeFocused();
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
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
});
