/** A server of reviews that a test plays, and what a person does on the pages. */
import { Code, createRouterTransport, type Transport } from '@connectrpc/connect';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ComponentType } from 'react';
import { Link, Route, Routes, useLocation, useParams } from 'react-router';
import { expect } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import {
  type CheckBadgeRequest,
  type ListReviewsRequest,
  type Review,
  ReviewFilter,
  ReviewsService,
  type SubmitReviewRequest,
} from '@/gen/reviews/v1/reviews_service_pb';
import { Answering } from './answering';
import { refusal } from './refusal';
import { renderApp } from './render-app';
import { reviewFixture } from './review-fixture';

class ReviewsServer extends Answering {
  reviews: Review[] = [];
  asked: ListReviewsRequest[] = [];
  submitted: SubmitReviewRequest[] = [];
  badgeAsked: CheckBadgeRequest[] = [];
  eligible = false;
}

export const server = new ReviewsServer();

export function resetServer(): void {
  Object.assign(server, new ReviewsServer());
}

function list(request: ListReviewsRequest) {
  server.read();
  server.asked.push(request);
  const fitting = server.reviews.filter(
    (review) => request.filter !== ReviewFilter.VERIFIED || review.verified,
  );
  const start = Number(request.pageToken || '0');
  const end = start + (request.pageSize || 12);
  return {
    reviews: fitting.slice(start, end),
    nextPageToken: end < fitting.length ? String(end) : '',
  };
}

async function submit(request: SubmitReviewRequest) {
  server.submitted.push(request);
  await server.command();
  const { name, service, rating, text } = request;
  const review = reviewFixture(900 + server.submitted.length, { name, service, rating, text });
  server.reviews.unshift(review);
  return { review };
}

function countStars() {
  const countsOf = (reviews: Review[]) =>
    [1, 2, 3, 4, 5].map((stars) => BigInt(reviews.filter(({ rating }) => rating === stars).length));
  const verified = server.reviews.filter((review) => review.verified);
  return {
    count: BigInt(server.reviews.length),
    verifiedCount: BigInt(verified.length),
    countsByRating: countsOf(server.reviews),
    verifiedCountsByRating: countsOf(verified),
  };
}

function Where() {
  const { pathname, search, hash } = useLocation();
  return <p data-testid="where">{`${pathname}${search}${hash}`}</p>;
}

export function playedTransport(): Transport {
  return createRouterTransport(({ service }) =>
    service(ReviewsService, {
      listReviews: list,
      submitReview: submit,
      getStatistics: countStars,
      checkBadge: (request) => {
        server.badgeAsked.push(request);
        return { wouldBeVerified: server.eligible };
      },
      getReview: (request) => {
        server.read();
        const review = server.reviews.find((one) => one.reviewId === request.reviewId);
        if (!review) throw refusal(Code.NotFound, 'REVIEW_NOT_FOUND');
        return { review };
      },
    }),
  );
}

type Pages = { List: ComponentType; One: ComponentType<{ reviewId: string | undefined }> };

function AtItsId({ Page }: { Page: Pages['One'] }) {
  return <Page reviewId={useParams().reviewId} />;
}

/** Opens the path of one of the two pages of reviews. */
export function openPage(path: string, { List, One }: Pages) {
  const page = (
    <>
      <Routes>
        <Route path="/reviews" element={<List />} />
        <Route path="/reviews/:reviewId" element={<AtItsId Page={One} />} />
        <Route path="/elsewhere" element={null} />
      </Routes>
      <Where />
      <Link to="/elsewhere">Elsewhere</Link>
      <Toaster />
    </>
  );
  renderApp(page, { path, transport: playedTransport() });
  return userEvent.setup();
}

export type Person = ReturnType<typeof userEvent.setup>;

export async function fill(person: Person) {
  await person.click(screen.getByRole('radio', { name: '4 stars, Very Good!' }));
  await person.type(screen.getByLabelText('Name'), 'Asha Rao');
  await person.type(screen.getByLabelText('Email'), 'asha@example.org');
  await person.selectOptions(screen.getByLabelText('Service'), 'Energy Healing');
  await person.type(screen.getByLabelText('Your review'), 'I slept well.');
}

export async function send(person: Person) {
  await person.click(screen.getByRole('button', { name: 'Publish Review' }));
}

/** The one toast of a thank-you, or of what went wrong. */
export async function toastSays(title: string, description: string) {
  const toasts = screen.getByTestId('toasts');
  const card = (await within(toasts).findByText(title)).closest('[data-variant]');
  expect(within(toasts).getByText(description)).toBeTruthy();
  const kind = title.startsWith('Thank you') ? 'default' : 'destructive';
  expect(card?.getAttribute('data-variant')).toBe(kind);
}

export function names(): string[] {
  return screen.queryAllByRole('article').map((card) => card.getAttribute('aria-label') ?? '');
}
