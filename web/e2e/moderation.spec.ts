/** The admin panel: who may delete a review, what other visitors see of it, and what is hidden. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { BrowserContext, Locator, Page } from '@playwright/test';
import { walkTo } from './support/keyboard';
import { expectSome } from './support/lists';
import { fitsTheWidth } from './support/look';
import {
  callByHand,
  openPanel,
  ownerOf,
  panel,
  STAFF,
  signInOwner,
  tryPassword,
  unlock,
} from './support/owner';
import { newPerson, type Person, signUpQuietly } from './support/people';
import { writeReview } from './support/rpc';
import { expect, expectToast, test } from './support/test';
import { refusal } from './support/watch';

const ADDRESS = /[\w.%+-]+@[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]{2,}/gi;
const PRACTICE = resolve(import.meta.dirname, '../../deploy/local/practice/practice.toml');
/** Letters and pictures are no text in which an address could be looked for. */
const NO_TEXT = /^(image|font)\//;

function addressesIn(text: string): string[] {
  return [...new Set(text.match(ADDRESS))];
}

/** Keeps what a browser is answered. */
function listenTo(context: BrowserContext): () => Promise<string> {
  const answers: Promise<string>[] = [];
  context.on('response', (response) => {
    const isText = !NO_TEXT.test(response.headers()['content-type'] ?? '');
    const body = isText ? response.text().catch(() => '') : '';
    const head = response.allHeaders().catch(() => ({}));
    answers.push(
      Promise.all([head, body]).then(([headers, text]) => JSON.stringify(headers) + text),
    );
  });
  return async () => (await Promise.all(answers)).join('\n');
}

function builtFiles(folder = resolve(import.meta.dirname, '../dist')): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.woff2'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

/** How a review is answered to another client. */
async function statusOf(url: string, reviewId: string): Promise<number> {
  const { status } = await fetch(`${url}/rpc/reviews.v1.ReviewsService/GetReview`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ reviewId }),
  });
  return status;
}

/** The one row that has this address. */
function rowOf(dialog: Locator, { email }: Person): Locator {
  return dialog.getByRole('article').filter({ hasText: email });
}

/** Gives the window the focus again, as coming back to it does. */
async function lookAgain(page: Page): Promise<void> {
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
}

async function deleteIn(row: Locator): Promise<void> {
  await row.getByRole('button', { name: /^Delete/ }).click();
  await row.getByRole('button', { name: 'Yes, delete' }).click();
}

test('what the owner deletes is gone for all visitors, and Undo brings it back', async ({
  page,
  otherPage,
  complaints,
  practice,
}) => {
  const heard = listenTo(otherPage.context());
  const person = newPerson('Malati');
  const { reviewId } = await writeReview(practice.url, person, 'Somebody else is insulted here.');
  await otherPage.goto('/reviews');
  const card = otherPage.locator(`article:has(a[href="/reviews/${reviewId}"])`);
  await expect(card).toBeVisible();

  await page.goto('/faq');
  await openPanel(page);
  await expect(panel(page).getByRole('link', { name: 'Sign in' })).toBeVisible();
  await signInOwner(page, practice);
  await page.goto('/faq');
  complaints.expect(refusal(`${STAFF}/Unlock`));
  await openPanel(page);
  await tryPassword(page, 'not the password');
  await expectToast(page, 'Access Denied');
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('');
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  await tryPassword(page, ownerOf(practice).password);
  await expectToast(page, 'Admin Access Granted');

  const dialog = panel(page);
  await dialog.getByLabel('Search').fill(person.email);
  const row = rowOf(dialog, person);
  await expect(dialog.getByText('One review shown.')).toBeVisible();
  await expect(row.getByRole('link', { name: person.email })).toBeVisible();

  await deleteIn(row);
  await expectToast(page, 'Review Removed');
  await expect(row).toBeHidden();
  // Undo has its ten seconds only: here nothing waits for another browser.
  expect(await statusOf(practice.url, reviewId)).toBe(404);
  await dialog.getByRole('button', { name: 'Undo' }).click();
  await expectToast(page, 'Review Restored');
  await expect(row).toBeFocused();
  expect(await statusOf(practice.url, reviewId)).toBe(200);
  await lookAgain(otherPage);
  await expect(card).toBeVisible();

  await row.getByRole('button', { name: /^Delete/ }).click();
  await expect(row.getByRole('group', { name: /^Delete this review/ })).toBeVisible();
  await row.getByRole('button', { name: 'Yes, delete' }).click();
  await expect(row).toBeHidden();
  await expect(dialog.getByRole('button', { name: 'Undo' })).toBeVisible();
  await lookAgain(otherPage);
  await expect(card).toBeHidden();
  complaints.expect(refusal(`/reviews/${reviewId}`));
  complaints.expect(refusal('/rpc/reviews.v1.ReviewsService/GetReview'));
  const answer = await otherPage.goto(`/reviews/${reviewId}`);
  expect(answer?.status()).toBe(404);
  await expect(otherPage.getByRole('heading', { name: 'Review Not Found' })).toBeVisible();

  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  const told = `${await heard()}\n${builtFiles()}`;
  expect(told).toContain('Somebody else is insulted here.');
  const { password } = ownerOf(practice);
  for (const secret of [password, password.replaceAll('-', ''), '$argon2']) {
    expect(told.includes(secret), 'what nobody is to know is told').toBe(false);
  }
  const own = addressesIn(readFileSync(PRACTICE, 'utf8'));
  expect(own).toContain('hello@sukoon.example');
  expect(addressesIn(told).filter((address) => !own.includes(address))).toEqual([]);
});

test('closing the panel locks it, and without its grant nothing can be deleted', async ({
  page,
  otherPage,
  complaints,
  practice,
}) => {
  const person = newPerson('Nandini');
  const { reviewId } = await writeReview(practice.url, person, 'This one has to stay.');
  const body = { reviewId };
  const token = await signInOwner(page, practice);
  const customer = await signUpQuietly(otherPage, practice.url, newPerson('Ojas'));
  await page.goto('/reviews');
  complaints.expect(refusal(`${STAFF}/DeleteReview`), refusal(`${STAFF}/ListStaffReviews`));

  const before = await callByHand(page, 'DeleteReview', { body, token });
  expect(before).toMatchObject({ status: 403, text: expect.stringContaining('permission_denied') });
  await unlock(page, practice);
  expect(await page.evaluate(() => document.cookie)).toBe('');
  expect((await callByHand(page, 'ListStaffReviews', { token })).status).toBe(200);
  // With the owner's cookie, but as another user; and as a customer in another browser.
  expect((await callByHand(page, 'DeleteReview', { body, token: customer })).status).toBe(403);
  expect((await callByHand(page, 'DeleteReview', { body })).status).toBe(401);
  await otherPage.goto('/reviews');
  expect((await callByHand(otherPage, 'DeleteReview', { body, token: customer })).status).toBe(403);

  const locking = page.waitForResponse(`**${STAFF}/Lock`);
  await panel(page).getByRole('button', { name: 'Close' }).click();
  expect((await locking).status()).toBe(200);
  await expect(panel(page)).toBeHidden();
  for (const method of ['ListStaffReviews', 'DeleteReview']) {
    expect((await callByHand(page, method, { body, token })).status).toBe(403);
  }
  await openPanel(page);
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('');
  await expect(panel(page).getByRole('article')).toHaveCount(0);

  // Leaving the page locks as well; no page is there any more to see the call.
  await tryPassword(page, ownerOf(practice).password);
  await expectSome(panel(page).getByRole('article'));
  await page.goto('/faq');
  await expect
    .poll(async () => (await callByHand(page, 'ListStaffReviews', { token })).status)
    .toBe(403);
  expect((await callByHand(page, 'DeleteReview', { body, token })).status).toBe(403);
  const kept = await page.goto(`/reviews/${reviewId}`);
  expect(kept?.status()).toBe(200);
});

test('the panel needs no mouse', async ({ page, practice }) => {
  const person = newPerson('Padma');
  await writeReview(practice.url, person, 'Deleted and brought back by keys alone.');
  await signInOwner(page, practice);
  await page.goto('/cancellation-policy');
  const button = page.getByRole('button', { name: 'Admin' });
  await walkTo(page, button);
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  await page.keyboard.type(ownerOf(practice).password);
  await page.keyboard.press('Enter');

  const dialog = panel(page);
  await expect(dialog.getByRole('heading', { name: 'Reviews' })).toBeFocused();
  const row = rowOf(dialog, person);
  await walkTo(page, row.getByRole('button', { name: /^Delete/ }));
  await page.keyboard.press('Enter');
  await expect(row.getByRole('group', { name: /^Delete this review/ })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(row.getByRole('button', { name: /^Delete/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(row.getByRole('button', { name: 'Yes, delete' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expectToast(page, 'Review Removed');
  await expect(row).toBeHidden();
  await page.keyboard.press('Control+z');
  await expectToast(page, 'Review Restored');
  await expect(row).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(button).toBeFocused();
});

test('the panel and the list of members fit a phone @phone-only @phone', async ({
  page,
  practice,
}) => {
  const person = newPerson('Rukmini');
  await writeReview(practice.url, person, 'Read on a small screen.');
  await signInOwner(page, practice);
  await page.goto('/organisation');
  await expect(page.getByRole('heading', { name: 'What Has Changed' })).toBeVisible();
  await fitsTheWidth(page);
  await page.goto('/reviews');
  const row = rowOf(await unlock(page, practice), person);
  await row.getByRole('button', { name: /^Delete/ }).click();
  await expect(row.getByRole('group', { name: /^Delete this review/ })).toBeVisible();
  await fitsTheWidth(page);
});
