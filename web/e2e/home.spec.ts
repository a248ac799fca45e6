/** The welcome page where it needs a browser; `src/app/home` tests it element by element. */
import type { Locator } from '@playwright/test';
import { RPC, reviewAnswer, standIn } from './support/answers';
import { expectSome, firstOf, lastOf } from './support/lists';
import { expect, test } from './support/test';
import { refusal } from './support/watch';

const QUIZ_BUTTON = 'Take the 90-second quiz';
/** What stands in the strip of figures. */
const FIGURES = ['200+', '15+', '4.9', '500+'];
const LONG = 'I came without words and left with a plan for the week. '.repeat(4).trim();

/** Waits until a row has stopped: a smooth scroll that goes on ends what a focus begins. */
function atRest(card: Locator): Promise<void> {
  return card.evaluate(
    (one) =>
      new Promise((done) => {
        let before = Number.NaN;
        let same = 0;
        const look = () => {
          const now = one.getBoundingClientRect().left;
          same = now === before ? same + 1 : 0;
          before = now;
          if (same >= 10) done();
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
}

test('testimonials: six cards in a row that moves, in a room that was kept for them @phone', async ({
  page,
  complaints,
}) => {
  complaints.expect(refusal('/pictures/gone.webp'));
  await page.route('**/pictures/gone.webp', (route) => route.fulfill({ status: 404 }));
  const desk = await standIn(page, RPC.listReviews, 'wait');
  await page.goto('/');
  await page.getByRole('heading', { name: 'What people say' }).scrollIntoViewIfNeeded();
  const testimonials = page.getByRole('region', { name: 'What people say' });
  await expect(testimonials.locator('[aria-busy="true"]')).toBeVisible();
  const below = page.getByRole('region', { name: "You don't have to carry it alone" });
  const top = () => below.evaluate((one) => one.getBoundingClientRect().top + window.scrollY);
  const before = await top();
  const image = { path: '/pictures/gone.webp', smallPath: '/pictures/gone.webp' };
  const reviews = [1, 2, 3, 4, 5, 6].map((number) =>
    reviewAnswer({
      reviewId: `rvw_${String(number).padStart(32, '0')}`,
      name: `Writer ${number}`,
      text: LONG,
      ...(number === 1 ? { image: { ...image, width: 800, height: 600 } } : {}),
    }),
  );
  desk.answer({ reviews });
  const cards = testimonials.getByRole('article');
  await expect(cards).toHaveCount(6);
  await expect(testimonials.getByRole('img', { name: 'Photo from Writer 1' })).toHaveCount(0);
  expect(await top()).toBe(before);

  await expect(lastOf(cards)).not.toBeInViewport();
  for (let press = 0; press < 5; press += 1) {
    await testimonials.getByRole('button', { name: 'Show the next reviews' }).click();
  }
  await testimonials.getByRole('button', { name: 'Show the reviews before' }).click();
  await atRest(firstOf(cards));
  const links = testimonials.getByRole('link', { name: /^Read Full Review/ });
  await lastOf(links).focus();
  await expect(lastOf(links)).toBeInViewport({ ratio: 1 });
  await firstOf(links).focus();
  await expect(firstOf(links)).toBeInViewport({ ratio: 1 });
});

test('all of it but the reviews can be read before any script runs', async ({
  browser,
  contextOptions,
  practice,
}) => {
  const context = await browser.newContext({
    ...contextOptions,
    baseURL: practice.url,
    javaScriptEnabled: false,
  });
  const page = await context.newPage();
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeInViewport();
  await expect(page.getByRole('button', { name: QUIZ_BUTTON })).toBeVisible();
  for (const value of FIGURES) await expectSome(page.getByText(value));
  await expect(page.getByRole('blockquote')).toBeVisible();
  const answer = firstOf(page.locator('details'));
  await answer.locator('summary').click();
  await expect(answer.locator('p')).toBeVisible();
  await context.close();
});
