/** The pages of reviews, with a server that a test plays. */
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Route, Routes, useLocation } from 'react-router';
import { beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { ErrorDetailSchema } from '@/gen/common/v1/error_detail_pb';
import {
  type CheckBadgeRequest,
  type ListReviewsRequest,
  type Review,
  ReviewFilter,
  ReviewsService,
  type SubmitReviewRequest,
} from '@/gen/reviews/v1/reviews_service_pb';
import type { AuthState } from '@/lib/auth';
import { renderApp } from '@/testing/render-app';
import { reviewFixture, reviewId } from '@/testing/review-fixture';
import { ReviewPage } from './review-page';
import { ReviewsPage } from './reviews-page';

// Typing a whole form takes its time where other builds run beside the tests.
vi.setConfig({ testTimeout: 30_000 });

const auth = vi.hoisted((): { state: AuthState } => ({
  state: { status: 'signed-out', user: undefined },
}));
const upload = vi.hoisted(() => vi.fn());

vi.mock('@/lib/auth', () => ({ useAuth: () => auth.state }));
vi.mock('../api/upload-picture', async (original) => ({
  ...(await original<typeof import('../api/upload-picture')>()),
  uploadPicture: upload,
}));

const DAY_MS = 86_400_000;

type Server = {
  reviews: Review[];
  asked: ListReviewsRequest[];
  submitted: SubmitReviewRequest[];
  badgeAsked: CheckBadgeRequest[];
  eligible: boolean;
  refusals: ConnectError[];
  down: boolean;
};

let server: Server;

beforeEach(() => {
  auth.state = { status: 'signed-out', user: undefined };
  upload.mockReset();
  server = {
    reviews: [],
    asked: [],
    submitted: [],
    badgeAsked: [],
    eligible: false,
    refusals: [],
    down: false,
  };
});

function refusal(code: Code, reason: string, field = ''): ConnectError {
  const value = create(ErrorDetailSchema, { reason, field });
  return new ConnectError('the words of the service', code, undefined, [
    { desc: ErrorDetailSchema, value },
  ]);
}

function list(request: ListReviewsRequest) {
  if (server.down) throw refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE');
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

function submit(request: SubmitReviewRequest) {
  server.submitted.push(request);
  const refused = server.refusals.shift();
  if (refused) throw refused;
  const { name, service, rating, text } = request;
  const review = reviewFixture(900 + server.submitted.length, { name, service, rating, text });
  server.reviews.unshift(review);
  return { review };
}

function countStars() {
  const counts = [1, 2, 3, 4, 5].map((stars) =>
    BigInt(server.reviews.filter(({ rating }) => rating === stars).length),
  );
  return { count: BigInt(server.reviews.length), verifiedCount: 0n, countsByRating: counts };
}

function Where() {
  const { pathname, search, hash } = useLocation();
  return <p data-testid="where">{`${pathname}${search}${hash}`}</p>;
}

function open(path: string) {
  const transport = createRouterTransport(({ service }) =>
    service(ReviewsService, {
      listReviews: list,
      submitReview: submit,
      getStatistics: countStars,
      checkBadge: (request) => {
        server.badgeAsked.push(request);
        return { wouldBeVerified: server.eligible };
      },
      getReview: (request) => {
        if (server.down) throw refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE');
        const review = server.reviews.find((one) => one.reviewId === request.reviewId);
        if (!review) throw refusal(Code.NotFound, 'REVIEW_NOT_FOUND');
        return { review };
      },
    }),
  );
  const page = (
    <>
      <Routes>
        <Route path="/reviews" element={<ReviewsPage />} />
        <Route path="/reviews/:reviewId" element={<ReviewPage />} />
      </Routes>
      <Where />
      <Toaster />
    </>
  );
  renderApp(page, { path, transport });
  return userEvent.setup();
}

type Person = ReturnType<typeof userEvent.setup>;

async function fill(person: Person) {
  await person.click(screen.getByRole('radio', { name: '4 stars, Very Good!' }));
  await person.type(screen.getByLabelText('Name'), 'Asha Rao');
  await person.type(screen.getByLabelText('Email'), 'asha@example.org');
  await person.selectOptions(screen.getByLabelText('Service'), 'Energy Healing');
  await person.type(screen.getByLabelText('Your review'), 'I slept well.');
}

async function send(person: Person) {
  await person.click(screen.getByRole('button', { name: 'Publish Review' }));
}

async function toastSays(title: string, description: string) {
  const toasts = screen.getByTestId('toasts');
  await within(toasts).findByText(title);
  expect(within(toasts).getByText(description)).toBeTruthy();
}

function names(): string[] {
  return screen.queryAllByRole('article').map((card) => card.getAttribute('aria-label') ?? '');
}

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
  await person.click(screen.getByRole('radio', { name: 'All Reviews' }));
  await screen.findByRole('article');
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
});

test('a deleted review is gone when the window is looked at again', async () => {
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

test('the real figure stands beside the practice’s own, and only when there is one', async () => {
  server.reviews = [5, 4, 4].map((rating, index) => reviewFixture(index, { rating }));
  open('/reviews');
  expect(screen.getByText('4.9/5')).toBeTruthy();
  expect(screen.getByText('200+')).toBeTruthy();
  expect(screen.getByText('98%')).toBeTruthy();
  await screen.findByText('4.3');
  expect(screen.getByText('from 3 reviews')).toBeTruthy();
});

test('no figure is made up', async () => {
  open('/reviews');
  await screen.findByText('No reviews found for the selected filter.');
  await waitFor(() => expect(screen.queryByText('From the reviews below')).toBeNull());
});

test('without a rating the form asks for one in words and keeps what was typed', async () => {
  const person = open('/reviews');
  await person.type(screen.getByLabelText('Name'), 'Asha');
  await send(person);
  await toastSays('Please provide a rating', 'Your rating helps us improve our services.');
  expect(screen.getAllByText('Please provide a rating').length).toBeGreaterThan(1);
  expect(screen.getByLabelText('Name')).toHaveProperty('value', 'Asha');
  expect(server.submitted).toHaveLength(0);
});

test('a review is published, the form is empty again and the new card has the focus', async () => {
  server.reviews = [reviewFixture(1)];
  const person = open('/reviews');
  await fill(person);
  await send(person);
  await toastSays('Thank you for your review!', 'Your feedback helps us serve you better.');
  const card = await screen.findByRole('article', { name: 'Review by Asha Rao' });
  await waitFor(() => expect(document.activeElement).toBe(card));
  expect(screen.getByLabelText('Your review')).toHaveProperty('value', '');
  expect(sessionStorage.getItem('reviewDraft')).toBeNull();
  expect(document.body.textContent).not.toContain('asha@example.org');
  expect(server.submitted[0]).toMatchObject({
    name: 'Asha Rao',
    email: 'asha@example.org',
    service: 'Energy Healing',
    rating: 4,
    text: 'I slept well.',
    imageId: '',
    withoutBadge: false,
  });
});

test('a failure keeps the form, and trying again has the same key', async () => {
  server.refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE')];
  const person = open('/reviews');
  await fill(person);
  await send(person);
  await toastSays('Error submitting review', 'Please try again later.');
  expect(screen.getByLabelText('Your review')).toHaveProperty('value', 'I slept well.');
  await send(person);
  await screen.findByRole('article', { name: 'Review by Asha Rao' });
  const keys = server.submitted.map(({ idempotencyKey }) => idempotencyKey);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(keys).size).toBe(1);
});

test('what the server finds wrong stands at its field', async () => {
  server.refusals = [refusal(Code.InvalidArgument, 'INVALID_EMAIL', 'email')];
  const person = open('/reviews');
  await fill(person);
  await send(person);
  await waitFor(() =>
    expect(screen.getByLabelText('Email').getAttribute('aria-invalid')).toBe('true'),
  );
});

test('a wrong picture has its message, and the form stays', async () => {
  const person = open('/reviews');
  const field = screen.getByLabelText(/^Photo/);
  await person.type(screen.getByLabelText('Name'), 'Asha');
  const large = new File([new Uint8Array(6 * 1024 * 1024)], 'big.png', { type: 'image/png' });
  await person.upload(field, large);
  await toastSays('Image too large', 'Please select an image smaller than 5MB.');
  const anyKind = userEvent.setup({ applyAccept: false });
  await anyKind.upload(field, new File(['%PDF'], 'a.pdf', { type: 'application/pdf' }));
  await toastSays('Invalid file type', 'Please select a valid image file.');
  expect(screen.getByLabelText('Name')).toHaveProperty('value', 'Asha');
});

test('the picture goes first and once, and can be taken away before', async () => {
  upload.mockResolvedValue('img_7');
  server.refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE')];
  const person = open('/reviews');
  const field = screen.getByLabelText(/^Photo/);
  const file = new File(['x'], 'me.webp', { type: 'image/webp' });
  await person.upload(field, file);
  await screen.findByText('me.webp');
  await person.click(screen.getByRole('button', { name: 'Remove photo' }));
  expect(screen.queryByText('me.webp')).toBeNull();
  await person.upload(field, file);
  await fill(person);
  await send(person);
  await toastSays('Error submitting review', 'Please try again later.');
  await send(person);
  await screen.findByRole('article', { name: 'Review by Asha Rao' });
  expect(upload).toHaveBeenCalledTimes(1);
  expect(server.submitted.map(({ imageId }) => imageId)).toEqual(['img_7', 'img_7']);
});

test('a picture that the server threw away meanwhile is sent once more', async () => {
  upload.mockResolvedValueOnce('img_1').mockResolvedValueOnce('img_2');
  server.refusals = [
    refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE'),
    refusal(Code.FailedPrecondition, 'IMAGE_NOT_FOUND'),
  ];
  const person = open('/reviews');
  await person.upload(
    screen.getByLabelText(/^Photo/),
    new File(['x'], 'me.png', { type: 'image/png' }),
  );
  await fill(person);
  await send(person);
  await toastSays('Error submitting review', 'Please try again later.');
  await send(person);
  await screen.findByRole('article', { name: 'Review by Asha Rao' });
  expect(server.submitted.map(({ imageId }) => imageId)).toEqual(['img_1', 'img_1', 'img_2']);
});

test('a picture that the server cannot read has the message, and the form stays', async () => {
  const { UploadError } = await import('../api/upload-picture');
  upload.mockRejectedValue(new UploadError('INVALID_IMAGE'));
  const person = open('/reviews');
  await person.upload(
    screen.getByLabelText(/^Photo/),
    new File(['x'], 'me.png', { type: 'image/png' }),
  );
  await fill(person);
  await send(person);
  await toastSays('Invalid file type', 'Please select a valid image file.');
  expect(screen.getByLabelText('Your review')).toHaveProperty('value', 'I slept well.');
  expect(server.submitted).toHaveLength(0);
});

test('an invitation leaves the address at once and offers the badge', async () => {
  const secret = 's'.repeat(43);
  server.eligible = true;
  const person = open(`/reviews?filter=recent#invitation=${secret}`);
  await waitFor(() =>
    expect(screen.getByTestId('where').textContent).toBe('/reviews?filter=recent'),
  );
  await screen.findByText(/tells readers that you have been our client/);
  expect(server.badgeAsked[0]?.invitation).toBe(secret);
  await fill(person);
  await send(person);
  await screen.findByRole('article', { name: 'Review by Asha Rao' });
  expect(server.submitted[0]).toMatchObject({ invitation: secret, withoutBadge: false });
  expect(sessionStorage.getItem('reviewInvitation')).toBeNull();
});

test('the badge can be left off', async () => {
  server.eligible = true;
  const person = open(`/reviews#invitation=${'s'.repeat(43)}`);
  await person.click(await screen.findByLabelText('Publish without the badge'));
  await fill(person);
  await send(person);
  await screen.findByRole('article', { name: 'Review by Asha Rao' });
  expect(server.submitted[0]).toMatchObject({ invitation: '', withoutBadge: true });
});

test('an invitation that is worth nothing is said to be, and the review can go without', async () => {
  server.refusals = [refusal(Code.FailedPrecondition, 'INVITATION_NOT_VALID')];
  const person = open(`/reviews#invitation=${'s'.repeat(43)}`);
  await fill(person);
  await send(person);
  await screen.findByText('This link gives no badge any more');
  await person.click(screen.getByRole('button', { name: 'Publish without the badge' }));
  await screen.findByRole('article', { name: 'Review by Asha Rao' });
  expect(server.submitted[1]?.invitation).toBe('');
});

test('the account fills name and address, and who is not eligible is told nothing', async () => {
  const user = {
    id: 'u1',
    email: 'ravi@example.org',
    firstName: 'Ravi',
    lastName: 'Iyer',
    phone: '',
  };
  auth.state = { status: 'signed-in', user };
  open('/reviews');
  await waitFor(() => expect(server.badgeAsked).toHaveLength(1));
  expect(screen.getByLabelText('Name')).toHaveProperty('value', 'Ravi Iyer');
  expect(screen.getByLabelText('Email')).toHaveProperty('value', 'ravi@example.org');
  expect(screen.queryByText(/badge/i)).toBeNull();
});

test('what was typed survives a reload', async () => {
  sessionStorage.setItem('reviewDraft', JSON.stringify({ text: 'Half a sent', rating: '3' }));
  open('/reviews');
  await waitFor(() =>
    expect(screen.getByLabelText('Your review')).toHaveProperty('value', 'Half a sent'),
  );
  expect(screen.getByRole('radio', { name: '3 stars, Good!' })).toHaveProperty('checked', true);
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
  server.reviews = [];
  window.dispatchEvent(new Event('focus'));
  await screen.findByRole('heading', { level: 1, name: 'Review Not Found' });
});

test('a review that cannot be had now can be asked for again', async () => {
  server.reviews = [reviewFixture(1)];
  server.down = true;
  const person = open(`/reviews/${reviewId(1)}`);
  const retry = await screen.findByRole('button', { name: 'Try again' });
  server.down = false;
  await person.click(retry);
  await screen.findByText('Text 1');
});
