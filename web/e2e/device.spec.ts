/** Devices with a wrong clock, without a zone, and browsers that lack what newer ones have. */
import type { Page } from '@playwright/test';
import { BOOK, chooseSlot } from './support/book';
import { forgetZone, makeOld, setClockWrong } from './support/device';
import { CALENDAR, chooseTime, expectReady, expectStep, hold, lateTick } from './support/flow';
import { newPerson, signUpQuietly } from './support/people';
import { expect, test } from './support/test';

const BROKEN = 'Something went wrong';

/** Opens the pages that a visitor comes to first, and the first step of each way to book. */
async function walk(page: Page): Promise<void> {
  const time = new Date(Date.now() - 3_600_000).toISOString();
  for (const path of [
    '/',
    '/services',
    '/service/meditation',
    '/reviews',
    '/faq',
    '/contact',
    '/about',
    `/cancellation-policy?bookingTime=${time}`,
    '/sign-up',
  ]) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 }), path).toBeVisible();
    await expect(page.getByText(BROKEN), path).toHaveCount(0);
  }
  await page.goto(BOOK);
  await chooseSlot(page);
  await expectStep(page, 'Consent to Online Session');
}

for (const [name, minutes] of [
  ['40 minutes ahead', 40],
  ['60 minutes behind', -60],
] as const) {
  test(`a clock ${name} does not move the limit, the hold, nor the checkout`, async ({
    context,
    page,
    practice,
  }) => {
    await setClockWrong(context, minutes);
    const booked = new Date(Date.now() - 3_600_000).toISOString();
    await page.goto(`/cancellation-policy?bookingTime=${booked}&service=meditation`);
    await expect(page.getByRole('timer')).toHaveText(/^(?:23:00|22:59):\d\d$/);

    await signUpQuietly(page, practice.url, newPerson('Omar'));
    await page.goto(CALENDAR);
    await expectStep(page, 'Book Your Session');
    await chooseTime(page);
    // The chosen day is more than a week away: whatever the device says, nothing is late.
    await expect(lateTick(page)).toHaveCount(0);
    await hold(page);
    await expectReady(page);
    await expect(page.getByText(/· 1[34]:\d\d left/)).toBeVisible();
    await expect(page.getByText('The time is no longer kept.')).toHaveCount(0);
    await page.evaluate(() => {
      const real = window.Razorpay;
      if (!real) throw new Error('The checkout is not there.');
      window.Razorpay = class extends real {
        constructor(...[options]: ConstructorParameters<NonNullable<typeof window.Razorpay>>) {
          super(options);
          document.documentElement.dataset.timeout = String(options.timeout);
        }
      };
    });
    await page.getByRole('button', { name: /^Pay ₹/ }).click();
    const told = page.locator('html[data-timeout]');
    await expect(told).toBeAttached();
    const timeout = Number(await told.getAttribute('data-timeout'));
    expect(timeout).toBeGreaterThan(1_600);
    expect(timeout).toBeLessThanOrEqual(1_810);
  });
}

test('a browser whose zone is Etc/Unknown books all the same', async ({ context, page }) => {
  await forgetZone(context, 'Etc/Unknown');
  await walk(page);
});

test('the oldest browsers that are meant show every page', async ({ context, page }) => {
  await makeOld(context);
  await walk(page);
});
