/**
 * The remote reads of the pages in each state: loading, failed with a retry that works, without a
 * network, and back by itself. Each page's own test has what an answer shows, and an empty one.
 */
import { Code, ConnectError, createRouterTransport, type Transport } from '@connectrpc/connect';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { OfflineBanner } from '@/components/offline-banner';
import { ConsentPage } from '@/features/consent/components/consent-page';
import { ReceiptPage } from '@/features/receipts/components/receipt-page';
import { ReviewPage } from '@/features/reviews/components/review-page';
import { ReviewsPage } from '@/features/reviews/components/reviews-page';
import { PaymentsService } from '@/gen/payments/v1/payments_service_pb';
import { createQueryClient } from '@/lib/query-client';
import { expectAccessible } from '@/testing/accessible';
import { BOOKING_ID, bookingFixture } from '@/testing/booking-fixture';
import { BookingServer } from '@/testing/booking-server';
import { auth, startAccount } from '@/testing/played-account';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { reviewFixture, reviewId } from '@/testing/review-fixture';
import { playedTransport, resetServer, server as reviews } from '@/testing/reviews-server';
import BookPage from './routes/book';
import BookingFlowPage from './routes/booking-flow';
import ServicePage from './routes/service';
import ServicesPage from './routes/services';
// Loaded with the tests, so that none of them waits for it.
import '@/features/catalogue/components/free-times';
import '@/app/book-page/book-steps';
import '@/app/booking-flow/schedule-screen';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-account')).playedAuth());

const SLOT = 'slot=2026-11-24T05:30:00Z&step=calendar-terms';
const FLOW = '/booking-flow?service=general-consultation';

type Gate = 'wait' | 'refuse' | 'cut' | 'go';

/** What the one call that a test is about gets; others are answered. */
let gate: Gate;
let open: () => void = () => {};
let online: boolean;
let booking: BookingServer;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-22T05:30:00Z') });
  startAccount();
  resetServer();
  booking = new BookingServer();
  gate = 'wait';
  online = true;
  vi.spyOn(navigator, 'onLine', 'get').mockImplementation(() => online);
  // The provider's script, which no test can fetch, is there.
  window.Razorpay = class {
    on() {}
    open() {}
  };
  return () => {
    vi.useRealTimers();
    window.Razorpay = undefined;
  };
});

async function pass(): Promise<void> {
  if (gate === 'wait') await new Promise<void>((resolve) => (open = resolve));
  if (gate === 'refuse') throw refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE');
  if (gate === 'cut') throw new ConnectError('Failed to fetch', Code.Unknown);
}

/** Calls of one name go through the gate. */
function gated(name: string, inner: Transport): Transport {
  const unary: Transport['unary'] = async (method, ...rest) => {
    if (method.name === name) await pass();
    return inner.unary(method, ...rest);
  };
  return { unary, stream: (...call) => inner.stream(...call) };
}

function answerWith(next: Gate): void {
  gate = next;
  act(() => open());
}

/** The network goes or comes, and the browser says so. */
function connect(connected: boolean): void {
  online = connected;
  act(() => void window.dispatchEvent(new Event(connected ? 'online' : 'offline')));
}

type Read = {
  call: string;
  page: ReactNode;
  path: string;
  transport?: () => Transport;
  /** The region of the page that says what has failed. */
  within?: string;
  /** What is said while it is waited for, where it is said in words. */
  loading?: string;
  shown: () => Promise<unknown>;
  before?: () => void;
};

const READS: Record<string, Read> = {
  'the free times of a service': {
    call: 'ListSlots',
    page: <ServicePage params={{ serviceId: 'meditation' }} />,
    path: '/service/meditation',
    within: 'Free times',
    loading: 'Looking for free times…',
    shown: () => screen.findByText(/^All times are in IST/),
  },
  'the times of the booking flow': {
    call: 'ListSlots',
    page: <BookingFlowPage />,
    path: `${FLOW}&step=calendar-terms`,
    loading: 'Loading times…',
    shown: () => screen.findByTestId('times'),
  },
  'the terms of the consent': {
    call: 'GetConsentTerms',
    page: <BookPage />,
    path: `/book?service=general-consultation&${SLOT}`,
    before: () => {
      auth.signedIn = false;
    },
    shown: () => screen.findByLabelText('Signature'),
  },
  'an own consent': {
    call: 'GetConsent',
    page: <ConsentPage />,
    path: '/consent',
    shown: () => screen.findByText(/haven't given a consent yet/),
  },
  'the list of reviews': {
    call: 'ListReviews',
    page: <ReviewsPage />,
    path: '/reviews',
    transport: playedTransport,
    within: 'What people say',
    loading: 'Loading reviews...',
    before: () => {
      reviews.reviews = [reviewFixture(1)];
    },
    shown: () => screen.findByRole('article', { name: 'Review by Writer 1' }),
  },
  'one review': {
    call: 'GetReview',
    page: <ReviewPage reviewId={reviewId(1)} />,
    path: `/reviews/${reviewId(1)}`,
    transport: playedTransport,
    loading: 'Loading the review…',
    before: () => {
      reviews.reviews = [reviewFixture(1)];
    },
    shown: () => screen.findByText('Recent Review'),
  },
  'the figures of the reviews': {
    call: 'GetStatistics',
    page: <ReviewsPage />,
    path: '/reviews',
    transport: playedTransport,
    before: () => {
      reviews.reviews = [reviewFixture(1), reviewFixture(2)];
    },
    shown: () => screen.findByText('from 2 reviews'),
  },
  'a booking': {
    call: 'GetBooking',
    page: <BookingFlowPage />,
    path: `${FLOW}&step=payment&b=${BOOKING_ID}`,
    before: () => {
      booking.booking = bookingFixture();
    },
    shown: () => screen.findByText('Booking Summary'),
  },
  'the receipts of a booking': {
    call: 'ListReceipts',
    page: <ReceiptPage />,
    path: `/receipt?b=${BOOKING_ID}`,
    before: () => {
      booking.booking = bookingFixture();
    },
    shown: () => screen.findByRole('heading', { name: 'There is no receipt yet' }),
  },
};

/** Receipts of the booking, of which there are none. */
function withReceipts(inner: Transport): Transport {
  const none = createRouterTransport(({ service }) =>
    service(PaymentsService, { listReceipts: () => ({ receipts: [] }) }),
  );
  const unary: Transport['unary'] = (method, ...rest) =>
    (method.name === 'ListReceipts' ? none : inner).unary(method, ...rest);
  return { unary, stream: (...call) => inner.stream(...call) };
}

/** The site's own client, which fails at once: offline reads fail with words as well. */
function clientOfTheSite() {
  const client = createQueryClient();
  const { queries } = client.getDefaultOptions();
  client.setDefaultOptions({ queries: { ...queries, retry: false } });
  return client;
}

function visit({ call, page, path, transport, before }: Read): void {
  before?.();
  const inner = transport?.() ?? withReceipts(booking.transport());
  renderApp(
    <QueryClientProvider client={clientOfTheSite()}>
      <OfflineBanner />
      <main>{page}</main>
    </QueryClientProvider>,
    { path, transport: gated(call, inner) },
  );
}

test.each(Object.entries(READS))('%s is seen through each of its states', async (_, read) => {
  visit(read);
  const { loading, shown, within: region } = read;
  if (loading) expect((await screen.findAllByText(loading)).length).toBeGreaterThan(0);
  const place = () =>
    within(region ? screen.getByRole('region', { name: region }) : screen.getByRole('main'));
  const retry = async () =>
    within(await place().findByRole('alert')).findByRole('button', { name: 'Try again' });

  answerWith('refuse');
  await retry();
  await expectAccessible();

  gate = 'cut';
  connect(false);
  fireEvent.click(await retry());
  await screen.findByText('What you see may be old; what you type stays in this page.', {
    exact: false,
  });
  await waitFor(() => expect(place().getByRole('alert').textContent).toContain("We'll reconnect"));
  await expectAccessible();

  // When the network is back, no press is needed.
  gate = 'go';
  connect(true);
  await shown();
  expect(place().queryByRole('alert')).toBeNull();
});

test.each(Object.entries(READS))('%s is shown by a press on "Try again"', async (_, read) => {
  gate = 'refuse';
  visit(read);
  const alert = await screen.findByRole('alert');
  gate = 'go';
  fireEvent.click(within(alert).getByRole('button', { name: 'Try again' }));
  await read.shown();
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});

test('without news of the catalogue the page stays as it came', async () => {
  vi.stubGlobal('requestIdleCallback', (task: () => void) => setTimeout(task));
  vi.stubGlobal('cancelIdleCallback', (handle: NodeJS.Timeout) => clearTimeout(handle));
  renderApp(<ServicesPage />);
  await waitFor(() =>
    expect(JSON.stringify(vi.mocked(fetch).mock.calls)).toContain('CatalogueService/GetPractice'),
  );
  await act(async () => {});
  expect(screen.getAllByText('₹500').length).toBeGreaterThan(0);
  expect(screen.queryByRole('alert')).toBeNull();
  cleanup();
  vi.unstubAllGlobals();
});

test('without a review the page asks for the first one', async () => {
  gate = 'go';
  const { page, path } = READS['the figures of the reviews'] as Read;
  renderApp(page, { path, transport: playedTransport() });
  await screen.findByText(/^No reviews yet\./);
});
