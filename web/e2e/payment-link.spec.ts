/** The provider's page of a payment link, which opens in another tab. */
import type { FrameLocator, Page } from '@playwright/test';
import { expectConfirmed, payByCard } from './support/flow';
import { newPerson, signUpQuietly } from './support/people';
import type { Practice } from './support/practice';
import { holdTime, makeLink } from './support/rpc';
import type { Sandbox } from './support/sandbox';
import { expect, test } from './support/test';

/** A booking whose time is kept, with its link. */
async function linked(page: Page, practice: Practice, firstName: string) {
  const person = newPerson(firstName);
  const token = await signUpQuietly(page, practice.url, person);
  const bookingId = await holdTime(practice, { person, token });
  const { linkUrl, linkId } = await makeLink(practice, { person, token }, bookingId);
  return { person, bookingId, linkUrl, linkId };
}

/** Opens the checkout on the page of a link. */
async function openPage(tab: Page, url: string): Promise<FrameLocator> {
  await tab.goto(url);
  await tab.getByRole('button', { name: 'Pay ₹500 now' }).click();
  const checkout = tab.frameLocator('iframe[title="Secure checkout"]');
  await expect(checkout.getByRole('button', { name: 'Pay by UPI' })).toBeVisible();
  return checkout;
}

async function statusOf(sandbox: Sandbox, linkId: string): Promise<string | undefined> {
  const { payment_links: links } = await sandbox.book();
  return links.find(({ id }) => id === linkId)?.status;
}

test('a link is paid by card, and its page leads back to the booking', async ({
  page,
  context,
  practice,
  sandbox,
}) => {
  const { person, bookingId, linkUrl, linkId } = await linked(page, practice, 'Ishaan');
  const tab = await context.newPage();
  await payByCard(await openPage(tab, linkUrl));
  await tab.waitForURL(new RegExp(`/booking-flow\\?.*b=${bookingId}`));
  await expectConfirmed(tab);
  expect(await statusOf(sandbox, linkId)).toBe('paid');
  await sandbox.mail(person.email, /^Your session is confirmed/);
  await tab.goto(linkUrl);
  await expect(tab.getByRole('status')).toHaveText(/has been paid/);
});

test('a link of a time that is no longer kept says that it was cancelled', async ({
  page,
  context,
  practice,
  sandbox,
}) => {
  const { linkUrl, linkId } = await linked(page, practice, 'Dev');
  await practice.passMinutes(15);
  await expect.poll(() => statusOf(sandbox, linkId)).toBe('cancelled');
  const tab = await context.newPage();
  await tab.goto(linkUrl);
  await expect(tab.getByRole('status')).toHaveText(/was cancelled/);
});
