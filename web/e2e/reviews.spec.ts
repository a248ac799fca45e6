/** Writing a review with a photo, and who gets the badge. */
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { ONE_LOOK, RPC, standIn } from './support/answers';
import { expectSizes } from './support/ease';
import { expectSome } from './support/lists';
import { newPerson, type Person, signUpQuietly } from './support/people';
import { DISGUISED, NOTES, photo, tooLarge } from './support/pictures';
import { Practice, startPractice } from './support/practice';
import { attendSession } from './support/rpc';
import { Sandbox } from './support/sandbox';
import { expect, expectToast, ready, test } from './support/test';
import { refusal } from './support/watch';

const WORDS = 'It was quiet. I was heard, and I left with a plan for the week.';

/** A person with a name that no other run has: reviews of all runs are in one list. */
function newWriter(firstName: string): Person {
  const letters = [...randomBytes(8)].map((byte) => String.fromCharCode(97 + (byte % 26)));
  return { ...newPerson(firstName), lastName: `V${letters.join('')}` };
}

async function fill(page: Page, { firstName, lastName, email }: Person): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(`${firstName} ${lastName}`);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Service', { exact: true }).selectOption('Energy Healing');
  await page.getByLabel('Your review').fill(WORDS);
}

async function publish(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Publish Review' }).click();
}

async function rate(page: Page, stars: RegExp): Promise<void> {
  await page.getByRole('radio', { name: stars }).check();
}

async function isShown(page: Page, { firstName, lastName }: Person): Promise<void> {
  const picture = page.getByRole('img', { name: `Photo from ${firstName} ${lastName}` });
  await picture.scrollIntoViewIfNeeded();
  await expect
    .poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth))
    .toBeGreaterThan(0);
}

test('a review with a photo is published and has a page of its own', async ({
  page,
  complaints,
}) => {
  const person = newWriter('Leela');
  const name = `${person.firstName} ${person.lastName}`;
  await page.goto('/reviews');
  await fill(page, person);
  const field = page.getByLabel(/^Photo/);
  await field.setInputFiles(NOTES);
  await expectToast(page, 'Invalid file type');
  const good = await photo(page, 2400, 1800);
  await field.setInputFiles(tooLarge(good));
  await expectToast(page, 'Image too large');
  await field.setInputFiles(good);
  await publish(page);
  await expectToast(page, 'Please provide a rating');

  // What only the server can find out keeps the form as well.
  await rate(page, /^5 stars/);
  complaints.expect(refusal('/uploads/reviews'));
  await page.getByRole('button', { name: 'Remove photo' }).click();
  await field.setInputFiles(DISGUISED);
  await publish(page);
  await expectSome(page.getByText('Please select a valid image file.'));
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue(name);
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(person.email);
  await expect(page.getByLabel('Service', { exact: true })).toHaveValue('Energy Healing');
  await expect(page.getByLabel('Your review')).toHaveValue(WORDS);
  await expect(page.getByRole('radio', { name: /^5 stars/ })).toBeChecked();

  await field.setInputFiles(good);
  await publish(page);
  await expectToast(page, 'Thank you for your review!');
  await expect(page.getByLabel('Your review')).toHaveValue('');
  await isShown(page, person);

  // Its own page is announced, has the focus, and is written by the server as well.
  await page.getByRole('link', { name: `Read Full Review by ${name}` }).click();
  await expect(page.getByTestId('page-news')).toHaveText(new RegExp(`^${name} on Energy Healing`));
  await expect(page.getByRole('heading', { level: 1, name })).toBeFocused();
  expect((await page.reload())?.status()).toBe(200);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(name);
  await expect(page).toHaveTitle(new RegExp(`${name} on Energy Healing`));
  await expect(page.getByText('Recent Review')).toBeVisible();
  await isShown(page, person);
  expect(await page.content()).not.toContain(person.email);
  await page.getByRole('link', { name: 'Back to Reviews' }).click();
  await expect(page).toHaveURL(/:\d+\/reviews$/);
});

test('the offer of a badge is easy to take on a phone @phone-only @phone', async ({
  page,
  practice,
}) => {
  await signUpQuietly(page, practice.url, newPerson('Gita'));
  await standIn(page, RPC.checkBadge, { wouldBeVerified: true });
  await page.goto('/reviews');
  await expect(page.getByLabel('Publish without the badge')).toBeVisible();
  await expectSizes(page, 'review-form-badge', page.getByRole('main'));
});

test('the badge needs a session’s customer, and not only the address', async ({
  browser,
  contextOptions,
  complaints,
}) => {
  test.setTimeout(240_000);
  const own = await startPractice('badges');
  const practice = new Practice(own.data);
  const options = { ...contextOptions, baseURL: practice.url };
  const contexts = [await browser.newContext(options), await browser.newContext(options)];
  for (const context of contexts) {
    complaints.alsoOf(context);
    await ready(context);
  }
  try {
    const [page, stranger] = await Promise.all(contexts.map((context) => context.newPage()));
    if (!page || !stranger) throw new Error('There is no page.');
    const person = newPerson('Gauri');
    const token = await signUpQuietly(page, practice.url, person);
    await attendSession(practice, new Sandbox(practice.sandboxUrl), { person, token });

    await stranger.goto('/reviews');
    await fill(stranger, person);
    await rate(stranger, /^1 star/);
    await publish(stranger);
    await expect(stranger.getByRole('article', { name: 'Review by Gauri Verma' })).toBeVisible();

    // The news of the session takes a moment on its way.
    await expect(async () => {
      await page.goto('/reviews');
      await expect(page.getByLabel('Publish without the badge')).toBeVisible(ONE_LOOK);
    }).toPass();
    await fill(page, person);
    await rate(page, /^5 stars/);
    await publish(page);
    const cards = page.getByRole('article', { name: 'Review by Gauri Verma' });
    await expect(cards).toHaveCount(2);
    const own = cards.filter({ has: page.getByRole('img', { name: '5 stars of 5' }) });
    const other = cards.filter({ has: page.getByRole('img', { name: '1 star of 5' }) });
    await expect(own.getByText('Verified')).toBeVisible();
    await expect(other).toHaveCount(1);
    await expect(other.getByText('Verified')).toBeHidden();
    await page.locator('label', { hasText: /^Verified$/ }).click();
    await expect(page).toHaveURL(/filter=verified/);
    await expect(cards).toHaveCount(1);
    await expect(page.getByLabel('Publish without the badge')).toBeHidden();
  } finally {
    for (const context of contexts) await context.close();
    await own.stop();
  }
});
