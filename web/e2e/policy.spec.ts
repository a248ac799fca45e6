/** The cancellation policy: its words, its countdown, and the time of one's own booking. */
import type { Page } from '@playwright/test';
import { setServerClock } from './support/device';
import { look } from './support/look';
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

test('the policy says its steps, its support and its notes @phone', async ({ page }) => {
  const answer = await page.goto(PATH);
  expect(answer?.status()).toBe(200);
  const main = page.getByRole('main');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Cancellation Policy');
  await expect(page.getByRole('timer')).toHaveCount(0);
  const steps = main.getByRole('list').getByRole('listitem');
  await expect(steps).toHaveCount(4);
  await expect(steps.nth(0)).toContainText('within 24 hours');
  await expect(steps.nth(1)).toContainText(
    'name, e-mail, service, booking confirmation details and the reason',
  );
  await expect(steps.nth(2)).toContainText('2-3 business days');
  await expect(steps.nth(3)).toContainText('5-7 business days');
  await expect(steps.nth(3)).toContainText('original payment method');
  const support = main.getByRole('region', { name: 'Support' });
  await expect(support).toContainText('Monday to Saturday, 9:00 AM to 6:00 PM IST');
  await expect(support.getByRole('link', { name: /^\+91/ })).toHaveAttribute('href', /^tel:\+91/);
  const notes = main.getByRole('region', { name: 'Good to know' });
  for (const words of [/not get a full refund/, /each case by itself/, /aren't refunded/]) {
    await expect(notes.getByText(words)).toBeVisible();
  }
  await look(page, 'policy');
});

test('the countdown goes down each second and ends with words', async ({ page }) => {
  await setServerClock(page, NOON);
  await page.clock.install({ time: NOON });
  await page.goto(bookedBefore(DAY_MS - 60_000));
  await expect(page.getByText('Energy Healing', { exact: true }).first()).toBeVisible();
  await page.clock.pauseAt(new Date(NOON.getTime() + 30_000));
  await expect(timer(page)).toHaveText('00:00:30');
  await page.clock.runFor(1000);
  await expect(timer(page)).toHaveText('00:00:29');
  await page.clock.runFor(28_000);
  await expect(timer(page)).toHaveText('00:00:01');
  const news = page.getByRole('status').filter({ hasText: EXPIRED });
  await expect(news).toHaveCount(0);
  await page.clock.runFor(1000);
  await expect(timer(page)).toHaveCount(0);
  await expect(news).toBeVisible();
});

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
    await look(page, name);
  }
});

test('a booking of my own counts to its own limit, and only for me', async ({
  page,
  otherPage,
  complaints,
  practice,
  sandbox,
}, { project }) => {
  const person = newPerson('Noor');
  const token = await signUpQuietly(page, practice.url, person);
  const bookingId = await bookSession(practice, sandbox, { person, token });
  // From the confirmed booking the way leads here.
  await page.goto(`/booking-flow?service=general-consultation&step=confirmed&b=${bookingId}`);
  // Three days ago its window was open for sure.
  const before = new Date(Date.now() - 3 * DAY_MS);
  await page.route('**/*', async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers(), date: before.toUTCString() };
    await route.fulfill({ response, headers });
  });
  await page.clock.setFixedTime(before);
  await page.getByRole('main').locator(`a[href="${PATH}?b=${bookingId}"]`).click();
  await expect(timer(page)).toHaveText(/^\d{2,3}:\d\d:\d\d$/);
  await expect(page.getByText('General Consultation', { exact: true }).first()).toBeVisible();
  const mail = page.getByRole('link', { name: 'Email us to cancel' });
  await expect(mail).toHaveAttribute('href', new RegExp(bookingId.slice(-8).toUpperCase()));
  await look(page, 'policy-own');

  complaints.expect(refusal(BOOKING));
  await signUpQuietly(otherPage, practice.url, newPerson('Tara'));
  await otherPage.goto(`${PATH}?b=${bookingId}`);
  await expect(otherPage.getByText('We could not find this booking')).toBeVisible();
  await look(otherPage, 'policy-of-another');
  // The way back by signing in has the same size on all screens.
  if (project.name === 'phone') return;

  // A signed-out customer signs in and comes back.
  await otherPage.evaluate(() => localStorage.clear());
  await otherPage.reload();
  await otherPage.getByRole('main').getByRole('link', { name: 'Sign In' }).click();
  await signIn(otherPage, person);
  await expect(otherPage).toHaveURL(new RegExp(`${PATH}\\?b=${bookingId}$`));
  await expect(otherPage.getByRole('main')).toContainText('General Consultation');
});

test('a booking that cannot be read is waited for, and tried again', async ({
  page,
  complaints,
  practice,
  sandbox,
}) => {
  const person = newPerson('Veda');
  const token = await signUpQuietly(page, practice.url, person);
  const bookingId = await bookSession(practice, sandbox, { person, token });
  complaints.expect(/ERR_INTERNET_DISCONNECTED/);
  let cut = true;
  await page.route(`**${BOOKING}**`, (route) =>
    cut ? route.abort('internetdisconnected') : route.continue(),
  );
  await page.goto(`${PATH}?b=${bookingId}`);
  await expect(page.getByText('Your booking is being looked up…')).toBeAttached();
  const notice = page.getByRole('alert').filter({ hasText: 'could not be looked up' });
  await expect(notice).toBeVisible();
  await look(page, 'policy-cut-off');
  cut = false;
  await notice.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('main')).toContainText('General Consultation');
  await expect(notice).toHaveCount(0);
});
