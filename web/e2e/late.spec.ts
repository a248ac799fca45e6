/** Code that does not come: what is missing says so in its own place, and the page stays. */
import type { Locator, Page } from '@playwright/test';
import { standIn } from './support/answers';
import { CONSENT } from './support/book';
import { chunkAddress, goneChunk, lostChunk } from './support/chunks';
import { CALENDAR, expectStep } from './support/flow';
import { look } from './support/look';
import { newPerson, signUpQuietly } from './support/people';
import type { Practice } from './support/practice';
import { writeReview } from './support/rpc';
import { expect, expectToast, test } from './support/test';
import type { Complaints } from './support/watch';

const SERVICE_PATH = '/service/general-consultation';
const NO_TIMES = 'The free times could not be loaded';
const NOBODYS = `/cancellation-policy?b=bkg_${'0'.repeat(32)}`;

/** A visitor who has not put the guide's offer away. */
const inviting = test.extend({ invitations: true });

/** Keeps a file of code from arriving; says how to find it again. */
async function lose(page: Page, complaints: Complaints, chunk: string) {
  complaints.expect(lostChunk(chunk));
  const desk = await standIn(page, chunkAddress(chunk), 'lose');
  return () => desk.answer('go');
}

function noticeOf(page: Page, words: string): Locator {
  return page.getByRole('main').getByRole('alert').filter({ hasText: words });
}

/** The page around what is missing. */
async function expectWhole(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Something went wrong' })).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  await expect(page.getByRole('banner')).toBeVisible();
  await expect(page.getByRole('contentinfo')).toBeAttached();
}

type Section = {
  chunk: string;
  words: string;
  open: (page: Page, practice: Practice) => Promise<void>;
  /** What is seen when it came; nothing where it may have nothing to say. */
  there?: (page: Page) => Locator;
};

async function openReviews(page: Page, practice: Practice): Promise<void> {
  await writeReview(practice.url, newPerson('Mira'), 'A quiet hour.');
  await page.goto('/reviews');
}

const SECTIONS: readonly Section[] = [
  {
    chunk: 'free-times',
    words: NO_TIMES,
    open: async (page) => void (await page.goto(SERVICE_PATH)),
    there: (page) => page.getByRole('link', { name: /IST/ }).first(),
  },
  {
    chunk: 'book-steps',
    words: 'The next step could not be loaded',
    open: async (page) => void (await page.goto(CONSENT)),
    there: (page) => page.getByLabel('Signature'),
  },
  {
    chunk: 'review-list',
    words: 'The reviews could not be loaded',
    open: openReviews,
    there: (page) => page.getByRole('article').first(),
  },
  {
    chunk: 'real-rating',
    words: 'The figures could not be loaded',
    open: openReviews,
    there: (page) => page.getByRole('heading', { name: 'From the reviews below' }),
  },
  {
    chunk: 'badge-offer',
    words: 'Whether your review carries a badge could not be loaded',
    open: async (page, practice) => {
      await signUpQuietly(page, practice.url, newPerson('Tara'));
      await page.goto('/reviews');
    },
  },
  {
    chunk: 'booking-countdown',
    words: 'Your booking could not be looked up',
    open: async (page) => void (await page.goto(NOBODYS)),
    there: (page) => page.getByRole('main').getByRole('link', { name: 'Sign In' }),
  },
  {
    chunk: 'schedule-screen',
    words: 'The calendar could not be loaded',
    open: async (page, practice) => {
      await signUpQuietly(page, practice.url, newPerson('Veda'));
      await page.goto(CALENDAR);
      await expectStep(page, 'Book Your Session');
    },
    there: (page) => page.getByRole('group', { name: 'Day', exact: true }),
  },
  {
    chunk: 'app-enrolment',
    words: 'This step could not be loaded',
    open: async (page, practice) => {
      await signUpQuietly(page, practice.url, newPerson('Waheeda'));
      await page.goto('/account');
      await page.getByRole('button', { name: 'Add an app' }).click();
    },
    there: (page) => page.getByLabel('Name of the app'),
  },
  {
    chunk: 'month-grid',
    words: 'The calendar could not be loaded',
    open: async (page, practice) => {
      await signUpQuietly(page, practice.url, newPerson('Uma'));
      await page.goto(CALENDAR);
      await expectStep(page, 'Book Your Session');
      await page.getByRole('button', { name: 'Pick another date' }).click();
    },
    there: (page) => page.getByRole('button', { name: 'Month after' }),
  },
];

for (const { chunk, words, open, there } of SECTIONS) {
  test(`without its code ${chunk} says so and can be tried again`, async ({
    page,
    complaints,
    practice,
  }) => {
    const find = await lose(page, complaints, chunk);
    await open(page, practice);
    const notice = noticeOf(page, words);
    await expect(notice).toBeVisible();
    await expectWhole(page);
    await expect(notice.getByRole('button', { name: 'Reload the page' })).toHaveCount(0);
    await look(page, `late-${chunk}`);
    find();
    await notice.getByRole('button', { name: 'Try again' }).click();
    await expect(notice).toHaveCount(0);
    if (there) await expect(there(page)).toBeVisible();
    await expectWhole(page);
  });
}

test('a section comes by itself when the connection does', async ({
  page,
  context,
  complaints,
}) => {
  complaints.expect(/ERR_INTERNET_DISCONNECTED/);
  const find = await lose(page, complaints, 'free-times');
  await page.goto(SERVICE_PATH);
  const notice = noticeOf(page, NO_TIMES);
  await expect(notice).toBeVisible();
  find();
  await context.setOffline(true);
  await expect(page.getByText('You are offline.', { exact: true })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole('link', { name: /IST/ }).first()).toBeVisible();
  await expect(notice).toHaveCount(0);
});

test('a new document is offered where the code is gone for good', async ({ page, complaints }) => {
  complaints.expect(goneChunk('free-times'));
  const desk = await standIn(page, chunkAddress('free-times'), 404);
  await page.goto(SERVICE_PATH);
  const notice = noticeOf(page, NO_TIMES);
  await notice.getByRole('button', { name: 'Try again' }).click();
  const reload = notice.getByRole('button', { name: 'Reload the page' });
  await expect(reload).toBeVisible();
  await look(page, 'late-gone');
  desk.answer('go');
  await reload.click();
  await expect(page.getByRole('link', { name: /IST/ }).first()).toBeVisible();
});

test('a quiz without its code says so, and the next press opens it', async ({
  page,
  complaints,
}) => {
  const find = await lose(page, complaints, 'quiz-dialog');
  await page.goto('/');
  const button = page.getByRole('button', { name: /quiz/i });
  await button.click();
  await expect(noticeOf(page, 'The quiz did not open')).toBeVisible();
  await expectWhole(page);
  find();
  await button.click();
  await expect(page.getByRole('button', { name: 'Start Your Assessment' })).toBeVisible();
});

inviting('an offer without its code is not made', async ({ page, complaints }) => {
  await lose(page, complaints, 'exit-card');
  await page.goto('/');
  await page.getByRole('button', { name: /quiz/i }).click();
  await expect(page.getByRole('button', { name: 'Start Your Assessment' })).toBeVisible();
  await page.keyboard.press('Escape');
  const missed = page.waitForEvent('requestfailed', (request) =>
    chunkAddress('exit-card').test(request.url()),
  );
  await page.mouse.move(500, 300);
  await page.mouse.move(500, -5);
  await missed;
  await expectWhole(page);
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('the panel and the player fail in their own place, too', async ({ page, complaints }) => {
  const findPanel = await lose(page, complaints, 'admin-panel');
  const findPlayer = await lose(page, complaints, 'media-player');
  await page.goto(SERVICE_PATH);
  await expect(page.getByRole('link', { name: /IST/ }).first()).toBeVisible();
  const admin = page.getByRole('button', { name: 'Admin' });
  await admin.click();
  await expectToast(page, 'The panel could not be loaded');
  const main = page.getByRole('main');
  await main.getByRole('button', { name: /^Play video/ }).click();
  const again = main.getByRole('alert').getByRole('button', { name: 'Try again' });
  await expect(again).toBeVisible();
  await expectWhole(page);
  findPlayer();
  await again.click();
  await expect(again).toHaveCount(0);
  findPanel();
  await admin.click();
  await expect(page.getByRole('dialog')).toBeVisible();
});
