/**
 * The cancellation policy: the room of its countdown, and the time of one's own booking. Its words and
 * the counting are in src/features/policy/components/policy-page.test.tsx.
 */
import type { Page } from '@playwright/test';
import { setServerClock } from './support/device';
import { expectSome } from './support/lists';
import { fitsTheWidth } from './support/look';
import { newPerson, signIn, signUpQuietly } from './support/people';
import { bookSession } from './support/rpc';
import { expect, test } from './support/test';
import { refusal } from './support/watch';

const PATH = '/cancellation-policy';
const BOOKING = '/rpc/booking.v1.BookingService/GetBooking';
const EXPIRED = '24-hour cancellation window has expired';
const NOON = new Date('2026-11-24T12:00:00+05:30');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function timer(page: Page) {
  return page.getByRole('timer', { name: 'Time left to cancel' });
}

/** The address for a booking that was made so long before noon. */
function bookedBefore(milliseconds: number, service = 'energy-healing'): string {
  const at = new Date(NOON.getTime() - milliseconds).toISOString();
  return `${PATH}?bookingTime=${encodeURIComponent(at)}&service=${service}`;
}

/** How far down the steps begin. */
async function placeOfSteps(page: Page): Promise<number | undefined> {
  return (await page.getByRole('heading', { name: 'Steps to cancel' }).boundingBox())?.y;
}

test('the countdown takes the room that was kept for it @phone', async ({ page }) => {
  await page.goto(PATH);
  const place = await placeOfSteps(page);
  expect(place).toBeGreaterThan(0);
  await setServerClock(page, NOON);
  await page.clock.setFixedTime(NOON);
  for (const [name, address] of [
    ['policy-counting', bookedBefore(7 * HOUR_MS)],
    ['policy-expired', bookedBefore(30 * HOUR_MS)],
    ['policy-unreadable', `${PATH}?bookingTime=tomorrow`],
    ['policy-signed-out', `${PATH}?b=bkg_${'0'.repeat(32)}`],
  ] as const) {
    await page.goto(address);
    if (name === 'policy-counting') await expect(timer(page)).toHaveText('17:00:00');
    if (name === 'policy-expired') await expect(page.getByText(EXPIRED)).toBeVisible();
    if (name === 'policy-unreadable') await expect(page.getByText(/could not read/)).toBeVisible();
    if (name === 'policy-signed-out') {
      const signInLink = page.getByRole('main').getByRole('link', { name: 'Sign In' });
      await expect(signInLink).toBeVisible();
    }
    expect(await placeOfSteps(page), name).toBe(place);
    await fitsTheWidth(page);
  }
});

test('a booking of my own counts to its own limit, and only for me', async ({
  page,
  otherPage,
  complaints,
  practice,
  sandbox,
}) => {
  const person = newPerson('Noor');
  const token = await signUpQuietly(page, practice.url, person);
  const bookingId = await bookSession(practice, sandbox, { person, token });
  // From the confirmed booking the way leads here.
  await page.goto(`/booking-flow?service=general-consultation&step=confirmed&b=${bookingId}`);
  const way = page.getByRole('main').locator(`a[href="${PATH}?b=${bookingId}"]`);
  // A call that begins while answers are first stood in for can be lost: the page has to be at rest.
  await expect(way).toBeVisible();
  // Three days ago its window was open for sure.
  const before = new Date(Date.now() - 3 * DAY_MS);
  await page.route('**/*', async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers(), date: before.toUTCString() };
    await route.fulfill({ response, headers });
  });
  await page.clock.setFixedTime(before);
  await way.click();
  await expect(timer(page)).toHaveText(/^\d{2,3}:\d\d:\d\d$/);
  await expectSome(page.getByText('General Consultation', { exact: true }));
  const mail = page.getByRole('link', { name: 'Email us to cancel' });
  await expect(mail).toHaveAttribute('href', new RegExp(bookingId.slice(-8).toUpperCase()));

  complaints.expect(refusal(BOOKING));
  await signUpQuietly(otherPage, practice.url, newPerson('Tara'));
  await otherPage.goto(`${PATH}?b=${bookingId}`);
  await expect(otherPage.getByText('We could not find this booking')).toBeVisible();
  // A signed-out customer signs in and comes back.
  await otherPage.evaluate(() => localStorage.clear());
  await otherPage.reload();
  await otherPage.getByRole('main').getByRole('link', { name: 'Sign In' }).click();
  await signIn(otherPage, person);
  await expect(otherPage).toHaveURL(new RegExp(`${PATH}\\?b=${bookingId}$`));
  await expect(otherPage.getByRole('main')).toContainText('General Consultation');
});
