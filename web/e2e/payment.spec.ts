/** What can happen around the payment window. */
import type { Page } from '@playwright/test';
import {
  bookingOf,
  CALENDAR,
  closeCheckout,
  expectConfirmed,
  expectReady,
  expectStep,
  hold,
  leaveToPay,
  openCheckout,
  orderOf,
  payByCard,
  slotOf,
} from './support/flow';
import { expectSome } from './support/lists';
import { fitsTheWidth } from './support/look';
import { newPerson, signIn, signUpQuietly } from './support/people';
import { until } from './support/practice';
import { expect, expectToast, test } from './support/test';

/** A stricter policy beside the site's own; of two, a browser keeps both. */
function refuseInlineStyles(): void {
  if (window.top !== window) return;
  new MutationObserver((_, seeing) => {
    if (!document.head) return;
    seeing.disconnect();
    const policy = document.createElement('meta');
    policy.httpEquiv = 'Content-Security-Policy';
    policy.content = "style-src 'self'";
    document.head.prepend(policy);
  }).observe(document, { childList: true, subtree: true });
}

test.beforeEach(async ({ sandbox }) => {
  await sandbox.clearFaults();
});

test('a browser that closes when the money moved loses nothing', async ({
  context,
  page,
  otherPage,
  practice,
  sandbox,
}) => {
  const person = newPerson('Kabir');
  await signUpQuietly(page, practice.url, person);
  await hold(page);
  const address = page.url();
  // The page's own answer is never let through, however fast it is.
  await page.route('**/rpc/payments.v1.PaymentsService/SubmitCheckoutAnswer', () => {});
  const checkout = await openCheckout(page);
  const order = await orderOf(page);
  await payByCard(checkout);
  await until(async () => {
    const [payment] = await sandbox.payments(order);
    return payment?.status === 'captured' || undefined;
  });
  await context.close();

  await sandbox.mail(person.email, /^Your session is confirmed/);
  await otherPage.goto(address);
  await expectStep(otherPage, 'Sign In Required');
  await otherPage.getByRole('main').getByRole('link', { name: 'Sign In' }).click();
  await signIn(otherPage, person);
  await expectConfirmed(otherPage);
  await expect(otherPage.getByRole('link', { name: "Open the session's page" })).toBeVisible();
});

test('Back from the payment shows the step, and the words of a closed window cover nothing @phone-only', async ({
  page,
  practice,
}) => {
  await signUpQuietly(page, practice.url, newPerson('Rohan'));
  await hold(page);
  await expectReady(page);
  await closeCheckout(await openCheckout(page));
  await expectSome(page.getByRole('main').getByText('You can retry the payment anytime.'));
  await expectToast(page, 'Payment Cancelled');
  const retry = page.getByRole('button', { name: 'Retry Payment' });
  await retry.click({ trial: true });
  await fitsTheWidth(page);

  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await page.goBack();
  await expectStep(page, 'Book Your Session');
  const title = page.getByRole('heading', { level: 1 });
  await expect(title).toBeInViewport();
  await expect(title).toBeFocused();
  await page.goForward();
  await expectStep(page, 'Complete Your Payment');
  await expect(title).toBeInViewport();
});

test('neither a closed payment window nor a declined card is a dead end', async ({
  page,
  practice,
  sandbox,
}) => {
  await signUpQuietly(page, practice.url, newPerson('Meher'));
  const before = (await sandbox.book()).orders.length;
  await hold(page);
  const checkout = await openCheckout(page);
  const order = await orderOf(page);
  await closeCheckout(checkout);
  await expectToast(page, 'Payment Cancelled');

  await page.reload();
  await expectStep(page, 'Complete Your Payment');
  const again = await openCheckout(page);
  await again.getByRole('button', { name: 'Card that is declined' }).click();
  await again.getByRole('button', { name: 'Pay ₹500' }).click();
  await expect(again.getByRole('alert')).toBeVisible();
  await closeCheckout(again);
  await expect(page.getByText('The payment did not go through')).toBeVisible();

  const retried = await openCheckout(page, 'Retry Payment');
  expect(await orderOf(page)).toBe(order);
  await retried.getByRole('button', { name: 'Card that works' }).click();
  await payByCard(retried);
  await expectConfirmed(page);

  // All of it was one order, and money moved once.
  const { orders } = await sandbox.book();
  expect(orders).toHaveLength(before + 1);
  const states = (await sandbox.payments(order)).map(({ status }) => status);
  expect(states.sort()).toEqual(['captured', 'failed']);
});

/** A browser in which the provider's script leaves the page, as its documentation names it. */
const INSTAGRAM =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 390.0';

test.describe('Instagram', () => {
  test.use({ userAgent: INSTAGRAM });

  test('pays on the provider’s page and comes back, also without a session @phone-only', async ({
    page,
    practice,
    sandbox,
  }) => {
    const person = newPerson('Ishaan');
    await signUpQuietly(page, practice.url, person);
    await hold(page);
    const booking = bookingOf(page);
    await leaveToPay(page);
    await page.getByRole('button', { name: 'Cancel payment' }).click();
    await page.getByRole('button', { name: 'Yes, leave' }).click();
    await expectStep(page, 'Complete Your Payment');
    expect(bookingOf(page)).toBe(booking);

    const order = await orderOf(page);
    await leaveToPay(page);
    await forgetSession(page, practice.url);
    await page.getByRole('button', { name: 'Pay by card' }).click();
    await page.getByRole('button', { name: 'Pay ₹500' }).click();
    await expectStep(page, 'Sign In Required');
    // The payment is known before the customer signs in.
    await until(async () => {
      const [payment] = await sandbox.payments(order);
      return payment?.status === 'captured' || undefined;
    });
    await page.getByRole('main').getByRole('link', { name: 'Sign In' }).click();
    await signIn(page, person);
    await expectConfirmed(page);
    expect(bookingOf(page)).toBe(booking);
  });
});

/** Another tab signs out, as a browser that clears what it keeps. */
async function forgetSession(page: Page, url: string): Promise<void> {
  const other = await page.context().newPage();
  await other.goto(`${url}/faq`);
  await other.evaluate(() => localStorage.clear());
  await other.close();
}

/** What the checkout offers at a desk; `checkout-window.test.ts` has what it offers on a phone. */
const DISPLAY = {
  blocks: { upi: { name: 'UPI', instruments: [{ method: 'upi', flows: ['qr'] }] } },
  hide: [{ method: 'upi', flows: ['collect'] }],
  sequence: ['block.upi'],
  preferences: { show_default_blocks: true },
};

test('the provider learns neither what is booked nor when', async ({ page, practice, sandbox }) => {
  await signUpQuietly(page, practice.url, newPerson('Noor'));
  const slot = await hold(page);
  const booking = bookingOf(page);
  const checkout = await openCheckout(page);
  const order = await orderOf(page);
  const told = {
    order_id: order,
    referer: `${practice.url}/booking-flow?step=payment&b=${booking}`,
    config: { display: DISPLAY },
  };
  expect(await sandbox.opened(order, 1)).toEqual([told]);

  // A field for a UPI ID would lead to nothing.
  await checkout.getByRole('button', { name: 'Pay by UPI' }).click();
  await expect(checkout.getByRole('button', { name: 'Approve in UPI app' })).toBeVisible();
  await expect(checkout.getByLabel('UPI ID')).toBeHidden();
  await closeCheckout(checkout);

  // An address of an older kind, as a bookmark may have it, and a reload of the new one.
  await page.goto(`${CALENDAR}&slot=${slot}&step=payment&b=${booking}`);
  await openCheckout(page);
  await page.reload();
  await openCheckout(page);
  expect(await sandbox.opened(order, 3)).toEqual([told, told, told]);

  // The way back leads to the time that was chosen.
  await page.reload();
  await expectReady(page);
  await page.getByRole('main').getByRole('button', { name: 'Back' }).click();
  await expectStep(page, 'Book Your Session');
  expect(slotOf(page)).toBe(slot);
  await page.goBack();
  await expectStep(page, 'Complete Your Payment');
  expect(bookingOf(page)).toBe(booking);
});

test('a browser without inline styles can still press what the provider shows', async ({
  page,
  complaints,
  practice,
}) => {
  await signUpQuietly(page, practice.url, newPerson('Rumi'));
  complaints.expect(/Applying inline style violates/);
  await page.addInitScript(refuseInlineStyles);
  await hold(page);
  const checkout = await openCheckout(page);
  const frame = page.locator('iframe.razorpay-checkout-frame');
  expect(await frame.evaluate((element) => element.style.length)).toBe(0);
  await payByCard(checkout);
  await expectConfirmed(page);
});
