/**
 * The remote reads of the pages in each state: loading, failed with a retry that works, without a
 * network, back by itself, and empty. Other files test these reads or states: home.spec.ts (reviews
 * of the home page), policy.spec.ts (a booking on the policy page), slots.spec.ts (another customer's
 * booking), guide.spec.ts and guide-page.test.tsx (the guide), free-times.test.tsx,
 * booking-flow.test.tsx (a full day), reviews-pages.test.tsx, admin-panel.test.tsx (reviews in the
 * admin panel) and receipt-page.test.tsx (a receipt that is being written).
 */
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import {
  type Answer,
  expectTrouble,
  RPC,
  reviewAnswer,
  type StandIn,
  standIn,
} from './support/answers';
import { CONSENT } from './support/book';
import { CALENDAR, expectStep } from './support/flow';
import { look } from './support/look';
import { newPerson, signUpQuietly } from './support/people';
import type { Practice } from './support/practice';
import { holdTime, writeReview } from './support/rpc';
import { expect, test } from './support/test';

const PEOPLE = 'What people say';
const BANNER = 'What you see may be old; what you type stays in this page.';

type Reading = {
  desk: StandIn;
  /** Where on the page the state is shown; the main part if nothing is given. */
  within?: Locator;
  /** The answer when the network is back; the practice's own unless it says otherwise. */
  answer?: Answer;
  /** What the answer shows. */
  shown: Locator;
};

/** Sees one read through its states, on a page that was opened while it was waited for. */
async function seeThrough(page: Page, reading: Reading, name: string): Promise<void> {
  const { desk, within = page.getByRole('main'), answer = 'go', shown } = reading;
  const refused = within.getByRole('alert');
  const retry = refused.getByRole('button', { name: 'Try again' });
  desk.answer('refuse');
  await expect(retry).toBeVisible();
  await look(page, `${name}-refused`);

  desk.answer('cut');
  await page.context().setOffline(true);
  await retry.click();
  await expect(page.getByText(BANNER)).toBeVisible();
  await expect(refused).toContainText("We'll reconnect");
  await look(page, `${name}-offline`);

  // When the network is back, no press is needed.
  desk.answer(answer);
  await page.context().setOffline(false);
  await expect(shown).toBeVisible();
  await expect(refused).toBeHidden();
  await expect(page.getByText(BANNER)).toBeHidden();

  // Where the network was never away, a press is needed.
  desk.answer('refuse');
  await page.reload();
  await expect(retry).toBeVisible();
  desk.answer(answer);
  await retry.click();
  await expect(shown).toBeVisible();
  await expect(refused).toBeHidden();
}

/** What the page says, near this heading, where the answer holds nothing. */
async function seeEmpty(page: Page, desk: StandIn, told: [string, object, string]): Promise<void> {
  const [heading, answer, words] = told;
  desk.answer(answer);
  await page.reload();
  await page.getByRole('heading', { name: heading }).scrollIntoViewIfNeeded();
  await expect(page.getByRole('main').getByText(words).filter({ visible: true })).toBeVisible();
}

// What a page fetches when it is idle may fall into the time without a network.
test.beforeEach(({ complaints }) => {
  complaints.expect(/\/assets\/.*ERR_INTERNET_DISCONNECTED|ERR_INTERNET_DISCONNECTED.*\/assets\//);
});

test('free times of a service @phone', async ({ page, complaints }) => {
  expectTrouble(complaints, RPC.listSlots);
  const desk = await standIn(page, RPC.listSlots, 'wait');
  await page.goto('/service/meditation');
  await expect(page.getByText('Looking for free times…')).toBeAttached();
  const shown = page.getByText(/^All times are in IST/);
  await seeThrough(page, { desk, shown }, 'times');
  const days = [{ date: '2026-12-01', closed: true }];
  const zone = { timeZone: 'Asia/Kolkata', timeZoneLabel: 'IST' };
  const none = { days, lastDate: '2026-12-01', ...zone };
  await seeEmpty(page, desk, ['Free times', none, 'No free times in these days']);
});

test('times of the booking flow @phone', async ({ page, complaints, practice }) => {
  await signUpQuietly(page, practice.url, newPerson('Kamala'));
  expectTrouble(complaints, RPC.listSlots);
  const desk = await standIn(page, RPC.listSlots, 'wait');
  await page.goto(CALENDAR);
  await expect(page.getByText('Loading times…')).toBeAttached();
  const shown = page.getByTestId('times');
  await seeThrough(page, { desk, shown }, 'step-2');
});

test('the terms of the consent @phone', async ({ page, complaints }) => {
  expectTrouble(complaints, RPC.consentTerms);
  const desk = await standIn(page, RPC.consentTerms, 'wait');
  await page.goto(CONSENT);
  await expectStep(page, 'Consent to Online Session');
  await seeThrough(page, { desk, shown: page.getByLabel('Signature') }, 'consent');
});

test('an own consent @phone', async ({ page, complaints, practice }) => {
  await signUpQuietly(page, practice.url, newPerson('Jaya'));
  expectTrouble(complaints, RPC.getConsent);
  const desk = await standIn(page, RPC.getConsent, 'wait');
  await page.goto('/consent');
  const shown = page.getByText("You haven't given a consent yet.");
  await seeThrough(page, { desk, shown }, 'own-consent');
});

test('the list of reviews @phone', async ({ page, complaints }) => {
  expectTrouble(complaints, RPC.listReviews);
  const desk = await standIn(page, RPC.listReviews, 'wait');
  await page.goto('/reviews');
  await expect(page.getByText('Loading reviews...').first()).toBeAttached();
  const within = page.getByRole('region', { name: PEOPLE });
  const answer = { reviews: [reviewAnswer()] };
  const shown = page.getByRole('article', { name: 'Review by Meera Joshi' });
  await seeThrough(page, { desk, within, answer, shown }, 'reviews');
  await seeEmpty(page, desk, [PEOPLE, {}, 'No reviews found for the selected filter.']);
});

test('one review @phone', async ({ page, complaints, practice }) => {
  expectTrouble(complaints, RPC.getReview);
  const { reviewId } = await writeReview(practice.url, newPerson('Kamini'), 'I was heard.');
  const desk = await standIn(page, RPC.getReview, 'wait');
  // The document that goes out while reviews does not answer; else it holds the words itself.
  const path = join(import.meta.dirname, '../dist/review.html');
  await page.route(`**/reviews/${reviewId}`, async (route) =>
    route.fulfill({ response: await route.fetch(), path }),
  );
  await page.goto(`/reviews/${reviewId}`);
  await expect(page.getByText('Loading the review…')).toBeAttached();
  await seeThrough(page, { desk, shown: page.getByText('Recent Review') }, 'review');
});

test('the figures of the reviews @phone', async ({ page, complaints }) => {
  expectTrouble(complaints, RPC.statistics);
  const desk = await standIn(page, RPC.statistics, 'wait');
  await page.goto('/reviews');
  const answer = { count: '2', countsByRating: ['0', '0', '0', '1', '1'] };
  const shown = page.getByText('from 2 reviews');
  await seeThrough(page, { desk, answer, shown }, 'figures');
  await seeEmpty(page, desk, ['Share your experience', {}, 'No reviews yet.']);
});

/** A signed-in customer's booking that waits for its payment. */
async function bookingOf(page: Page, practice: Practice, name: string): Promise<string> {
  const person = newPerson(name);
  const token = await signUpQuietly(page, practice.url, person);
  return holdTime(practice, { person, token });
}

test('a booking, and its receipts @phone', async ({ page, complaints, practice }) => {
  expectTrouble(complaints, RPC.getBooking);
  expectTrouble(complaints, RPC.listReceipts);
  const bookingId = await bookingOf(page, practice, 'Lalita');
  const desk = await standIn(page, RPC.getBooking, 'wait');
  await page.goto(`${CALENDAR}&step=payment&b=${bookingId}`);
  const shown = page.getByText('Booking Summary');
  await seeThrough(page, { desk, shown }, 'step-3');

  const till = await standIn(page, RPC.listReceipts, 'wait');
  await page.goto(`/receipt?b=${bookingId}`);
  const none = page.getByRole('heading', { name: 'There is no receipt yet' });
  await seeThrough(page, { desk: till, shown: none }, 'receipt');
});

test('without news of the catalogue the page stays as it came', async ({ page, complaints }) => {
  expectTrouble(complaints, RPC.catalogue);
  complaints.expect(/CatalogueService/);
  const desk = await standIn(page, RPC.catalogue, 'refuse');
  await page.goto('/services');
  await expect.poll(() => desk.asked()).toBeGreaterThan(0);
  await expect(page.getByRole('main').getByText('₹500').first()).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});
