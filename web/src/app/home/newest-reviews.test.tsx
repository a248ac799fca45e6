/** The reviews of the home page: fetched when they come near, and honest about each way it can end. */
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { Testimonials } from '@/features/home/components/testimonials';
import { ReviewFilter } from '@/gen/reviews/v1/reviews_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { renderApp } from '@/testing/render-app';
import { reviewFixture, reviewId } from '@/testing/review-fixture';
import { names, playedTransport, resetServer, server } from '@/testing/reviews-server';
import NewestReviews from './newest-reviews';

type Seen = (entries: Pick<IntersectionObserverEntry, 'isIntersecting'>[]) => void;

/** Brings the section near to what is seen of the page. */
let comeNear: () => void = () => {};

beforeEach(() => {
  resetServer();
  class Observer {
    constructor(seen: Seen) {
      comeNear = () => seen([{ isIntersecting: true }]);
    }
    observe() {}
    disconnect() {}
  }
  vi.stubGlobal('IntersectionObserver', Observer);
});

function open(load = () => Promise.resolve(NewestReviews)) {
  renderApp(<Testimonials load={load} />, { transport: playedTransport() });
  return userEvent.setup();
}

/** A review of a client whose session is known of. */
function verified(number: number, facts: Parameters<typeof reviewFixture>[1] = {}) {
  return reviewFixture(number, { verified: true, ...facts });
}

test('nothing is fetched before the section comes near', async () => {
  const load = vi.fn(() => Promise.resolve(NewestReviews));
  open(load);
  expect(screen.getByText('Loading reviews...')).toBeTruthy();
  expect(load).not.toHaveBeenCalled();
  comeNear();
  await screen.findByText('Write a review');
  expect(load).toHaveBeenCalledTimes(1);
  expect(server.asked).toHaveLength(1);
});

test('six of the newest reviews at most are cards that lead to the whole review', async () => {
  server.reviews = Array.from({ length: 8 }, (_, index) => verified(index));
  server.reviews[0] = verified(0, { text: `${'a'.repeat(120)}bc`, rating: 4 });
  open();
  comeNear();
  await screen.findAllByRole('article');
  expect(names()).toEqual([0, 1, 2, 3, 4, 5].map((number) => `Review by Writer ${number}`));
  const [first] = screen.getAllByRole('article');
  if (!first) throw new Error('There is no card.');
  const card = within(first);
  expect(card.getByRole('img', { name: '4 stars of 5' })).toBeTruthy();
  expect(card.getByText('User Review')).toBeTruthy();
  expect(card.getByText(`${'a'.repeat(120)}...`)).toBeTruthy();
  expect(card.getByText('Energy Healing')).toBeTruthy();
  expect(card.getByText('Today')).toBeTruthy();
  const link = card.getByRole('link', { name: /^Read Full Review/ });
  expect(link.getAttribute('href')).toBe(`/reviews/${reviewId(0)}`);
  expect(screen.getByRole('link', { name: 'Read all reviews' })).toBeTruthy();
  await expectAccessible();
});

test('with too few verified reviews there are no cards, and an invitation to write one', async () => {
  const others = Array.from({ length: 6 }, (_, index) => reviewFixture(index + 10));
  server.reviews = [verified(1), verified(2), ...others];
  open();
  comeNear();
  const write = await screen.findByRole('link', { name: 'Write a review' });
  expect(write.getAttribute('href')).toBe('/reviews#write');
  expect(screen.getByText(/once three clients have written after a session/)).toBeTruthy();
  const all = screen.getByRole('link', { name: 'Read all reviews' });
  expect(all.getAttribute('href')).toBe('/reviews');
  expect(screen.queryByRole('article')).toBeNull();
  // What anyone may write is not even asked for.
  expect(server.asked.map(({ filter }) => filter)).toEqual([ReviewFilter.VERIFIED]);
  await expectAccessible();
});

test('a failure says so without the words of the service, and can be tried again', async () => {
  server.down = true;
  const person = open();
  comeNear();
  const alert = await screen.findByRole('alert');
  expect(within(alert).getByText('The reviews could not be loaded')).toBeTruthy();
  expect(document.body.textContent).not.toContain('the words of the service');
  await expectAccessible();
  server.down = false;
  server.reviews = [1, 2, 3].map((number) => verified(number));
  await person.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findAllByRole('article');
});

test('after a failure they are loaded when the connection comes back', async () => {
  server.down = true;
  open();
  comeNear();
  await screen.findByRole('alert');
  server.down = false;
  server.reviews = [1, 2, 3].map((number) => verified(number));
  window.dispatchEvent(new Event('online'));
  await screen.findAllByRole('article');
  expect(screen.queryByRole('alert')).toBeNull();
});

test('code that cannot be fetched takes only its own place, and can be asked for again', async () => {
  server.reviews = [1, 2, 3].map((number) => verified(number));
  const load = vi
    .fn(() => Promise.resolve(NewestReviews))
    .mockRejectedValueOnce(new TypeError('Failed to fetch'));
  const person = open(load);
  comeNear();
  await screen.findByText('The reviews could not be loaded');
  await person.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findAllByRole('article');
  expect(load).toHaveBeenCalledTimes(2);
});
