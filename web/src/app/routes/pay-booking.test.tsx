/** /pay/booking as a person without an account goes through it, with a server that a test plays. */
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, type ConnectError, createRouterTransport } from '@connectrpc/connect';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { BookingState, SessionMode } from '@/gen/booking/v1/booking_service_pb';
import { PaymentPageSchema, PaymentPageService } from '@/gen/booking/v1/payment_page_service_pb';
import { PagePaymentService } from '@/gen/payments/v1/page_payment_service_pb';
import { CollectionState, PaymentStatus } from '@/gen/payments/v1/payments_service_pb';
import { BOOKING_ID, bookingFixture } from '@/testing/booking-fixture';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import PayBookingPage from './pay-booking';

vi.setConfig({ testTimeout: 30_000 });

const PAGE_KEY = 'Ab_-'.repeat(11).slice(0, 43);
const LINK = 'https://rzp.io/i/demo';

type PageInit = MessageInitShape<typeof PaymentPageSchema>;

function pageFixture(changes: PageInit = {}) {
  const { serviceTitle, sessions, timeZone, price, heldUntilAt } = bookingFixture();
  const init: PageInit = {
    bookingId: BOOKING_ID,
    serviceTitle,
    sessions,
    timeZone,
    price,
    heldUntilAt,
    mode: SessionMode.IN_PERSON,
    location: 'Shivaji Nagar, Bhopal',
    practitionerName: 'Meera Joshi',
    state: BookingState.HELD,
    firstName: 'Asha',
  };
  return create(PaymentPageSchema, { ...init, ...changes } as PageInit);
}

const server: {
  page: ReturnType<typeof pageFixture>;
  failure: ConnectError | undefined;
  accepted: number;
  started: number;
  status: PaymentStatus;
} = {
  page: pageFixture(),
  failure: undefined,
  accepted: 0,
  started: 0,
  status: PaymentStatus.OTHER,
};

beforeEach(() => {
  localStorage.clear();
  server.page = pageFixture();
  server.failure = undefined;
  server.accepted = 0;
  server.started = 0;
  server.status = PaymentStatus.OTHER;
});

const transport = createRouterTransport(({ service }) => {
  service(PaymentPageService, {
    getPaymentPage: ({ pageKey }) => {
      if (server.failure) throw server.failure;
      if (pageKey !== PAGE_KEY) throw refusal(Code.NotFound, 'BOOKING_NOT_FOUND');
      return { page: server.page };
    },
    acceptTerms: ({ termsAccepted }) => {
      expect(termsAccepted).toBe(true);
      server.accepted += 1;
      server.page = pageFixture({ state: BookingState.AWAITING_PAYMENT, termsAccepted: true });
      return { page: server.page };
    },
  });
  service(PagePaymentService, {
    startPagePayment: () => {
      if (!server.page.termsAccepted) throw refusal(Code.FailedPrecondition, 'TERMS_NOT_ACCEPTED');
      server.started += 1;
      return { linkUrl: LINK, state: CollectionState.PENDING };
    },
    checkPagePayment: () => ({ state: CollectionState.PENDING, paymentStatus: server.status }),
  });
});

function open(path = `/pay/booking#key=${PAGE_KEY}`) {
  renderApp(
    <main>
      <PayBookingPage />
    </main>,
    { path, transport },
  );
  return userEvent.setup();
}

const title = () => screen.findByRole('heading', { level: 1 });

test('the booking is shown, agreed to, and paid in another tab', async () => {
  // The tab has a document of its own.
  const document = window.document.implementation.createHTMLDocument();
  const tab = { opener: null, document, location: { replace: vi.fn() }, close: vi.fn() };
  vi.spyOn(window, 'open').mockReturnValue(tab as unknown as Window);
  const person = open();
  await waitFor(async () => expect((await title()).textContent).toBe('Confirm Your Booking'));
  expect(screen.getByText('Welcome, Asha.')).toBeTruthy();
  expect(screen.getByText('General Consultation')).toBeTruthy();
  const pay = screen.getByRole('button', { name: /^Agree & Pay/ });
  // Nothing happens before the terms are agreed to.
  await person.click(pay);
  expect([server.accepted, server.started]).toEqual([0, 0]);
  await person.click(screen.getByRole('checkbox', { name: 'I agree to these simple terms' }));
  const late = screen.queryByRole('checkbox', { name: /can't be cancelled for a refund/ });
  if (late) await person.click(late);
  await person.click(pay);
  await waitFor(() => expect(tab.location.replace).toHaveBeenCalledWith(LINK));
  expect(server.accepted).toBe(1);
  await waitFor(async () => expect((await title()).textContent).toBe('Complete Your Payment'));
  const confirm = screen.getByRole('button', { name: /^I've Completed Payment/ });
  await person.click(confirm);
  await screen.findByText('We have not seen your payment yet');
  server.status = PaymentStatus.CANCELLED;
  await person.click(confirm);
  await screen.findByText('Payment was cancelled or expired');
  server.status = PaymentStatus.PAID;
  server.page = pageFixture({ state: BookingState.CONFIRMED, termsAccepted: true });
  await person.click(confirm);
  await waitFor(async () => expect((await title()).textContent).toBe('Booking Confirmed!'));
});

test('what has ended says so', async () => {
  server.page = pageFixture({ state: BookingState.EXPIRED });
  open();
  await screen.findByText('This time is not held any more');
  expect(screen.queryByRole('checkbox')).toBeNull();
});

test('a cancelled booking says so', async () => {
  server.page = pageFixture({ state: BookingState.CANCELLED, termsAccepted: true });
  open();
  await screen.findByText('This booking was cancelled');
});

test('a wrong address shows nothing', async () => {
  open(`/pay/booking#key=${PAGE_KEY.slice(0, 42)}x`);
  await screen.findByText('This address is not complete');
});

test('an address without a key shows nothing', async () => {
  open('/pay/booking');
  await screen.findByText('This address is not complete');
});

test('a lost connection can be tried again', async () => {
  server.failure = refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE');
  const person = open();
  const again = await screen.findByRole('button', { name: /try again/i }, { timeout: 20_000 });
  server.failure = undefined;
  await person.click(again);
  await waitFor(async () => expect((await title()).textContent).toBe('Confirm Your Booking'));
});
