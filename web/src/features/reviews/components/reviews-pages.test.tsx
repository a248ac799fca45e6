/** The pages of reviews, with a server that a test plays. */
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { ReviewFilter } from '@/gen/reviews/v1/reviews_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { reviewFixture, reviewId } from '@/testing/review-fixture';
import { names, openPage, resetServer, server } from '@/testing/reviews-server';
import { ReviewPage } from './review-page';
import { ReviewsPage } from './reviews-page';

vi.mock('@/lib/auth', () => ({ useAuth: () => ({ status: 'signed-out', user: undefined }) }));

const DAY_MS = 86_400_000;

const open = (path: string) => openPage(path, { List: ReviewsPage, One: ReviewPage });

beforeEach(resetServer);

test('cards are cut, dated and lead to the whole review', async () => {
  const createdAt = timestampFromDate(new Date(Date.now() - 3 * DAY_MS));
  const text = `${'a'.repeat(120)}bc`;
  server.reviews = [reviewFixture(1, { name: 'Asha', text, rating: 4, verified: true, createdAt })];
  const person = open('/reviews');
  const card = await screen.findByRole('article', { name: 'Review by Asha' });
  expect(within(card).getByText(`${'a'.repeat(120)}...`)).toBeTruthy();
  expect(within(card).getByRole('img', { name: '4 stars of 5' })).toBeTruthy();
  expect(within(card).getByText('3 days ago')).toBeTruthy();
  expect(within(card).getByText('Verified')).toBeTruthy();
  await person.click(within(card).getByRole('link', { name: /Read Full Review/ }));
  expect(screen.getByTestId('where').textContent).toBe(`/reviews/${reviewId(1)}`);
  await screen.findByRole('heading', { level: 1, name: 'Asha on Energy Healing' });
  expect(screen.getByText(text)).toBeTruthy();
  expect(screen.getByText('Recent Review')).toBeTruthy();
  await waitFor(() => expect(document.title).toMatch(/^Asha on Energy Healing · /));
  await person.click(screen.getByRole('link', { name: 'Back to Reviews' }));
  expect(screen.getByTestId('where').textContent).toBe('/reviews');
});

test('the filter stands in the address, and an empty one has its words', async () => {
  server.reviews = [reviewFixture(1)];
  const person = open('/reviews');
  await screen.findByRole('article');
  await person.click(screen.getByRole('radio', { name: 'Verified' }));
  await screen.findByText('No reviews found for the selected filter.');
  expect(screen.getByTestId('where').textContent).toBe('/reviews?filter=verified');
  const status = screen.getByText('Verified: No reviews found for the selected filter.');
  expect(status.getAttribute('role')).toBe('status');
  await person.click(screen.getByRole('radio', { name: 'All Reviews' }));
  await screen.findByRole('article');
  // The same element goes on speaking: a new one would not be heard.
  await waitFor(() => expect(status.textContent).toBe('All Reviews: 1 review is shown.'));
  expect(screen.getByTestId('where').textContent).toBe('/reviews');
});

test('an address with a filter opens with it', async () => {
  open('/reviews?filter=recent');
  await screen.findByText('No reviews found for the selected filter.');
  expect(screen.getByRole('radio', { name: 'Recent' })).toHaveProperty('checked', true);
  expect(server.asked[0]?.filter).toBe(ReviewFilter.RECENT);
});

test('more are loaded page by page, each once', async () => {
  server.reviews = Array.from({ length: 14 }, (_, index) => reviewFixture(index));
  const person = open('/reviews');
  expect(screen.getByText('Loading reviews...')).toBeTruthy();
  const more = await screen.findByRole('button', { name: 'Load more' });
  expect(names()).toHaveLength(12);
  await person.click(more);
  await waitFor(() => expect(names()).toHaveLength(14));
  expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull();
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Review by Writer 12');
  expect(screen.getByText('All Reviews: 14 reviews are shown.')).toBeTruthy();
});

test('a deleted review is gone when the window gets the focus again', async () => {
  server.reviews = [reviewFixture(1), reviewFixture(2)];
  open('/reviews');
  await waitFor(() => expect(names()).toHaveLength(2));
  server.reviews.shift();
  window.dispatchEvent(new Event('focus'));
  await waitFor(() => expect(names()).toEqual(['Review by Writer 2']));
});

test('a failure says so and can be tried again', async () => {
  server.down = true;
  const person = open('/reviews');
  const retry = await screen.findByRole('button', { name: 'Try again' });
  expect(document.body.textContent).not.toContain('the words of the service');
  server.down = false;
  server.reviews = [reviewFixture(1)];
  await person.click(retry);
  await screen.findByRole('article');
});

/** What the page says above the form: labels with their figures. */
function figures(): Record<string, string> {
  const terms = screen.getAllByRole('term');
  const told = screen.getAllByRole('definition');
  return Object.fromEntries(
    terms.map((term, at) => [term.textContent ?? '', told[at]?.textContent ?? '']),
  );
}

test('counted figures replace those that the practice states', async () => {
  server.reviews = [5, 4, 2].map((rating, index) =>
    reviewFixture(index, { rating, verified: true }),
  );
  // What anyone may write is listed, and states nothing of the practice.
  server.reviews.push(reviewFixture(9, { rating: 1 }));
  open('/reviews');
  await screen.findByText('from 4 reviews');
  await waitFor(() =>
    expect(figures()).toEqual({
      'Average rating': '3.7/5',
      'Happy clients': '200+',
      'Gave 4 or 5 stars': '66%',
    }),
  );
  expect(screen.queryByText('4.9/5')).toBeNull();
  expect(screen.getByText('“Happy clients” is our own figure.')).toBeTruthy();
  expect(screen.getByRole('img', { name: '3 stars of 5' })).toBeTruthy();
  await expectAccessible();
});

test('without reviews the practice’s own figures stand, and are called so', async () => {
  open('/reviews');
  await screen.findByText('No reviews found for the selected filter.');
  await waitFor(() => expect(screen.queryByText('From the reviews below')).toBeNull());
  await waitFor(() => expect(screen.getByText('4.9/5').className).not.toContain('invisible'));
  expect(figures()).toEqual({
    'Average rating': '4.9/5',
    'Happy clients': '200+',
    Recommend: '98%',
  });
  expect(screen.getByText('These are our own figures.')).toBeTruthy();
});

test('nothing is claimed while the reviews are being counted', () => {
  open('/reviews');
  expect(screen.getByText('4.9/5').className).toContain('invisible');
  expect(screen.getByText('98%').className).toContain('invisible');
  expect(screen.getByText('200+').className).not.toContain('invisible');
});

test('a review that does not exist is said to be missing', async () => {
  for (const path of [`/reviews/${reviewId(404)}`, '/reviews/nonsense']) {
    open(path);
    await screen.findByRole('heading', { level: 1, name: 'Review Not Found' });
    const words = "The review you're looking for doesn't exist or has been removed.";
    expect(screen.getByText(words)).toBeTruthy();
    document.body.innerHTML = '';
  }
});

test('a review that is deleted while it is read is gone at the next look', async () => {
  server.reviews = [reviewFixture(1)];
  open(`/reviews/${reviewId(1)}`);
  await screen.findByText('Text 1');
  await expectAccessible();
  server.reviews = [];
  window.dispatchEvent(new Event('focus'));
  await screen.findByRole('heading', { level: 1, name: 'Review Not Found' });
});
