/**
 * The error catalogue, one test per line, on desktop and phone. Lines that other files test are named
 * in support/catalogue-lines.ts and not repeated.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { changeBooking, expectTrouble, RPC, reviewAnswer, standIn } from './support/answers';
import { callsEnd, countCalls } from './support/calls';
import { CATALOGUE } from './support/catalogue-lines';
import { chunkAddress } from './support/chunks';
import {
  agreeIfLate,
  CALENDAR,
  closeCheckout,
  expectReady,
  expectStep,
  openCheckout,
} from './support/flow';
import { look } from './support/look';
import { openPanel, ownerOf, panel, signInOwner, tryPassword } from './support/owner';
import { newPerson, signUpQuietly } from './support/people';
import { NOTES, photo, tooLarge } from './support/pictures';
import type { Practice } from './support/practice';
import { holdTime, writeReview } from './support/rpc';
import { expect, expectToast, test } from './support/test';
import { refusal } from './support/watch';

type Said = { title: string; text: string; failure?: boolean };

/** The toast that is on the page now, to the letter. */
async function expectSaid(page: Page, { title, text, failure }: Said): Promise<void> {
  const kind = failure ? 'destructive' : 'default';
  const card = page.locator(`[data-testid="toasts"] [data-variant="${kind}"]`);
  await expect(card.getByText(title, { exact: true })).toBeVisible();
  await expect(card.getByText(text, { exact: true })).toBeVisible();
}

/** Opens a step of the booking flow with a time that is kept, without the steps before it. */
async function openBooking(page: Page, practice: Practice, name: string, step: string) {
  const person = newPerson(name);
  const token = await signUpQuietly(page, practice.url, person);
  const bookingId = await holdTime(practice, { person, token });
  return () => page.goto(`${CALENDAR}&step=${step}&b=${bookingId}`);
}

test('every line of the catalogue has a test, or says why no page can say it', () => {
  const specs = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.spec.ts'));
  const texts = specs.map((name) => readFileSync(`${import.meta.dirname}/${name}`, 'utf8'));
  const written = texts.flatMap((text) =>
    [...text.matchAll(/^ *test\(\s*'(.+?)',/gm)].map(([, title]) => title),
  );
  const missing = CATALOGUE.flatMap((line) => {
    if ('outside' in line) return [];
    if (line.tests.length === 0) return [line.situation];
    return line.tests.filter((title) => !written.includes(`${title} @phone`));
  });
  expect(missing, 'titles that no test has at both sizes').toEqual([]);
  const situations = CATALOGUE.map(({ situation }) => situation);
  expect(new Set(situations).size).toBe(situations.length);
});

test('Meditation guide send failure @phone', async ({ page, complaints }) => {
  expectTrouble(complaints, RPC.guide);
  await standIn(page, RPC.guide, 'refuse');
  await page.goto('/meditation-guide');
  const send = page.getByRole('main').getByRole('button', { name: /^Send/ });
  await expect(send).toBeEnabled();
  await page.getByLabel('Email').fill('asha@example.com');
  await send.click();
  const text = 'Failed to send the guide. Please try again.';
  await expectSaid(page, { title: 'Error', text, failure: true });
  await expect(page.getByLabel('Email')).toHaveValue('asha@example.com');
});

test('Review image fails in a card: image hidden @phone', async ({ page, complaints }) => {
  const path = '/uploads/reviews/lost.webp';
  complaints.expect(refusal(path));
  const image = { path, smallPath: path, width: 400, height: 300 };
  const more = [2, 3].map((number) =>
    reviewAnswer({ reviewId: `rvw_${'0'.repeat(31)}${number}`, name: `Writer ${number}` }),
  );
  await standIn(page, RPC.listReviews, { reviews: [reviewAnswer({ image }), ...more] });
  await page.route(`**${path}`, (route) => route.fulfill({ status: 404 }));
  for (const address of ['/reviews', '/']) {
    const failed = page.waitForResponse(`**${path}`);
    await page.goto(address);
    await page.getByRole('heading', { name: 'What people say' }).scrollIntoViewIfNeeded();
    const card = page.getByRole('article', { name: 'Review by Meera Joshi' });
    await card.scrollIntoViewIfNeeded();
    await failed;
    await expect(card.getByRole('img', { name: /^Photo/ })).toHaveCount(0);
    await expect(card.getByText('left with a plan')).toBeVisible();
  }
});

test('Order creation failed 3 times @phone', async ({ page, complaints, practice }) => {
  expectTrouble(complaints, RPC.startPayment);
  const open = await openBooking(page, practice, 'Aditi', 'payment');
  const orders = await standIn(page, RPC.startPayment, 'refuse');
  await open();
  await expect(page.getByText('Failed to create order. Please try again.')).toBeVisible();
  expect(orders.asked()).toBe(3);
  orders.answer('go');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expectReady(page);
});

test('Payment script not ready @phone', async ({ page, practice }) => {
  const open = await openBooking(page, practice, 'Bina', 'payment');
  const orders = await standIn(page, RPC.startPayment, 'wait');
  await open();
  const pay = page.getByRole('main').getByRole('button', { name: 'Pay ₹500' });
  await expect(pay).toBeVisible();
  await agreeIfLate(page);
  await pay.click();
  const said = page.getByTestId('toasts').getByText('Payment system is loading. Please try again.');
  await expect(said).toBeVisible();
  orders.answer('go');
  // A press that came too early is done now.
  const checkout = page.frameLocator('iframe[title="Secure checkout"]');
  await expect(checkout.getByRole('button', { name: 'Pay ₹500' })).toBeVisible();
});

test('Payment window dismissed @phone', async ({ page, practice }) => {
  const open = await openBooking(page, practice, 'Chitra', 'payment');
  await open();
  const checkout = await openCheckout(page);
  await closeCheckout(checkout);
  const text = 'You can retry the payment anytime.';
  await expectSaid(page, { title: 'Payment Cancelled', text });
  await expect(page.getByRole('button', { name: 'Retry Payment' })).toBeVisible();
});

test('Payment success whose mail could not be sent @phone', async ({ page, practice }) => {
  const open = await openBooking(page, practice, 'Devika', 'confirmation');
  await changeBooking(page, {
    state: 'BOOKING_STATE_CONFIRMED',
    paymentState: 'PAYMENT_STATE_PAID',
    mailState: 'MAIL_STATE_FAILED',
  });
  await open();
  await expectToast(page, 'Payment Verified!');
  await expectSaid(page, {
    title: 'Email Notification Issue',
    text:
      "Payment successful, but we couldn't send the confirmation email. " +
      "We'll contact you shortly.",
    failure: true,
  });
});

/** For an end whose toast is looked at: it is shown for five seconds of the page's time. */
const SHORT_STEP_MS = 2_000;
/** For windows whose end does not depend on how often it was asked. */
const LONG_STEP_MS = 30_000;

/** Lets the page's clock run, and stand still while a call is open, until the words are there. */
async function runUntil(page: Page, words: string, stepMs = 5_000): Promise<void> {
  const said = page.getByRole('main').getByText(words, { exact: true });
  // Without patience: what is drawn when the calls are over is drawn, however slow the machine is.
  do {
    await page.clock.runFor(stepMs);
    await callsEnd(page);
  } while (!(await said.isVisible()));
}

test('Verification that ends without money @phone', async ({ page, complaints, practice }) => {
  expectTrouble(complaints, RPC.checkPayment);
  await page.clock.install();
  await countCalls(page, RPC.checkPayment);
  const open = await openBooking(page, practice, 'Esha', 'confirmation');
  const unpaid = { state: 'COLLECTION_STATE_PENDING' };
  const checks = await standIn(page, RPC.checkPayment, unpaid);
  await changeBooking(page, {});
  await open();
  await expectStep(page, 'Payment Verification');
  // From here on only this test moves the page's time, however slow its answers are.
  await page.clock.pauseAt(Date.now() + 2_000);
  await runUntil(page, 'Payment verification timeout after 40 seconds.', SHORT_STEP_MS);
  await expectSaid(page, {
    title: 'Payment Verification Failed',
    text: 'Payment verification timeout after 40 seconds.',
    failure: true,
  });
  expect(checks.asked()).toBe(4);

  const again = page.getByRole('button', { name: 'Try Again' });
  await again.click();
  await runUntil(page, 'Payment verification timeout or max retries exceeded');

  checks.answer('refuse');
  await again.click();
  await runUntil(page, 'Unable to verify payment. Please contact support.', LONG_STEP_MS);

  const before = checks.asked();
  await again.click();
  await expect(async () => {
    await page.clock.runFor(5_000);
    await callsEnd(page);
    expect(checks.asked()).toBe(before + 3);
  }).toPass({ intervals: [50] });
  checks.answer(unpaid);
  const timeout = 'Payment verification timeout. Please try again or contact support.';
  await runUntil(page, timeout, LONG_STEP_MS);
});

test('Payment was cancelled or expired @phone', async ({ page, practice }) => {
  const open = await openBooking(page, practice, 'Farida', 'confirmation');
  await changeBooking(page, { state: 'BOOKING_STATE_EXPIRED', checkoutOpened: true });
  await open();
  await expect(page.getByText('Payment was cancelled or expired')).toBeVisible();
  await expectSaid(page, {
    title: 'Payment Failed',
    text: 'Unable to process payment. Booking cannot proceed.',
    failure: true,
  });
});

test('Manual acceptance asks first, and is verified @phone', async ({ page, practice }) => {
  const open = await openBooking(page, practice, 'Gita', 'payment');
  await open();
  await expectReady(page);
  await page.goto(page.url().replace('step=payment', 'step=confirmation'));
  await expectStep(page, 'Payment Verification');
  const claim = page.getByRole('button', { name: 'I Completed Payment' });
  await claim.click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(claim).toBeFocused();
  await claim.click();
  await page.getByRole('button', { name: 'Yes, I have paid' }).click();
  await expect(page.getByText('Your payment is being verified')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Booking Confirmed!' })).toBeHidden();
});

test('Review: what is missing, what failed, and the thanks @phone', async ({
  page,
  complaints,
}) => {
  const person = newPerson('Hema');
  expectTrouble(complaints, RPC.submitReview);
  const desk = await standIn(page, RPC.submitReview, 'refuse');
  await page.goto('/reviews');
  await page.getByLabel('Name', { exact: true }).fill('Hema Verma');
  await page.getByLabel('Email', { exact: true }).fill(person.email);
  await page.getByLabel('Service', { exact: true }).selectOption('Energy Healing');
  await page.getByLabel('Your review').fill('I was heard.');
  const publish = page.getByRole('button', { name: 'Publish Review' });
  await publish.click();
  const failure = true;
  const rating = 'Your rating helps us improve our services.';
  await expectSaid(page, { title: 'Please provide a rating', text: rating, failure });

  const field = page.getByLabel(/^Photo/);
  await field.setInputFiles(tooLarge(await photo(page, 40, 30)));
  const large = 'Please select an image smaller than 5MB.';
  await expectSaid(page, { title: 'Image too large', text: large, failure });
  await field.setInputFiles(NOTES);
  const kind = 'Please select a valid image file.';
  await expectSaid(page, { title: 'Invalid file type', text: kind, failure });

  await page.getByRole('radio', { name: /^4 stars/ }).check();
  await publish.click();
  const later = 'Please try again later.';
  await expectSaid(page, { title: 'Error submitting review', text: later, failure });
  await expect(page.getByLabel('Your review')).toHaveValue('I was heard.');
  await look(page, 'review-not-published');

  desk.answer('go');
  await publish.click();
  const thanks = 'Your feedback helps us serve you better.';
  await expectSaid(page, { title: 'Thank you for your review!', text: thanks });
  await expect(page.getByLabel('Your review')).toHaveValue('');
});

test('Admin: granted, denied, removed and not removed @phone', async ({
  page,
  complaints,
  practice,
}) => {
  expectTrouble(complaints, RPC.deleteReview);
  complaints.expect(refusal('/rpc/reviews.v1.ReviewsStaffService/Unlock'));
  const person = newPerson('Indira');
  await writeReview(practice.url, person, 'One more that has to go.');
  await signInOwner(page, practice);
  const desk = await standIn(page, RPC.deleteReview, 'refuse');
  await page.goto('/faq');
  await openPanel(page);
  await tryPassword(page, 'not the password');
  const failure = true;
  await expectSaid(page, { title: 'Access Denied', text: 'Incorrect password.', failure });
  await tryPassword(page, ownerOf(practice).password);
  const granted = 'You can now manage reviews.';
  await expectSaid(page, { title: 'Admin Access Granted', text: granted });

  await panel(page).getByLabel('Search').fill(person.email);
  const row = panel(page).getByRole('article').filter({ hasText: person.email });
  await expect(panel(page).getByText('One review shown.')).toBeVisible();
  await row.getByRole('button', { name: /^Delete/ }).click();
  await row.getByRole('button', { name: 'Yes, delete' }).click();
  await expectSaid(page, { title: 'Error', text: 'Failed to remove the review.', failure });
  await expect(row).toBeFocused();

  desk.answer('go');
  await row.getByRole('button', { name: /^Delete/ }).click();
  await row.getByRole('button', { name: 'Yes, delete' }).click();
  const removed = 'The review has been successfully deleted.';
  await expectSaid(page, { title: 'Review Removed', text: removed });
  await expect(row).toBeHidden();
});

test('Uncaught render error @phone', async ({ page, complaints }) => {
  complaints.expect(/This page cannot be drawn/);
  const broken = 'export function SignInPage() { throw new Error("This page cannot be drawn"); }';
  let isBroken = true;
  await page.route(chunkAddress('sign-in-page'), (route) =>
    isBroken ? route.fulfill({ contentType: 'text/javascript', body: broken }) : route.continue(),
  );
  await page.goto('/sign-in');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Something went wrong');
  await look(page, 'render-error');
  isBroken = false;
  await page.getByRole('button', { name: 'Refresh Page' }).click();
  await expectStep(page, 'Sign In');
});

test('Identity library: an error in the address @phone', async ({ page }) => {
  const problem = '#error=access_denied&error_code=otp_expired&error_description=Expired';
  for (const address of ['/sign-in', '/recover']) {
    await page.goto(`${address}${problem}`);
    await expect(page.getByText('That link did not work')).toBeVisible();
    await expect(page.getByRole('main')).not.toContainText('otp_expired');
    await page.goto('about:blank');
  }
});

test('Identity library: signing out ignores 401, 403 and 404 @phone', async ({
  page,
  complaints,
  practice,
}) => {
  complaints.expect(refusal('/auth/v1/logout'));
  await signUpQuietly(page, practice.url, newPerson('Jyoti'));
  const kept = await page.evaluate(() => ({ ...localStorage }) as Record<string, string>);
  const desk = await standIn(page, '/auth/v1/logout', 'go');
  for (const status of [401, 403, 404]) {
    desk.answer(status);
    await page.goto('/faq');
    await page.evaluate((all) => {
      for (const [key, value] of Object.entries(all)) localStorage.setItem(key, value);
    }, kept);
    await page.reload();
    await page.getByRole('button', { name: /^Your account/ }).click();
    // The page says so before the service has answered.
    const answered = page.waitForResponse('**/auth/v1/logout**');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expectToast(page, 'Signed out');
    await expect(page.getByRole('button', { name: /^Your account/ })).toHaveCount(0);
    expect((await answered).status()).toBe(status);
    await expect.poll(() => page.evaluate(() => localStorage.getItem('session'))).toBeNull();
  }
});
