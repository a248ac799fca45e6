/** /pay/booking as a person without an account goes through it, with a server that a test plays. */
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, type ConnectError, createRouterTransport } from '@connectrpc/connect';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { BookingState, SessionMode, SessionSchema } from '@/gen/booking/v1/booking_service_pb';
import { PaymentPageSchema, PaymentPageService } from '@/gen/booking/v1/payment_page_service_pb';
import { PagePaymentService } from '@/gen/payments/v1/page_payment_service_pb';
import { CollectionState, PaymentStatus } from '@/gen/payments/v1/payments_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { at, BOOKING_ID, bookingFixture, noticeOf } from '@/testing/booking-fixture';
import { ConsentServer } from '@/testing/consent-server';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import PayBookingPage from './pay-booking';

const PAGE_KEY = 'Ab_-'.repeat(11).slice(0, 43);
const CODE = '042731';
const LINK = 'https://rzp.io/i/demo';

type PageInit = MessageInitShape<typeof PaymentPageSchema>;

function pageFixture(changes: PageInit = {}) {
  const { serviceTitle, sessions, timeZone, price, heldUntilAt, cancellationPolicy } =
    bookingFixture();
  const init: PageInit = {
    bookingId: BOOKING_ID,
    serviceTitle,
    sessions,
    timeZone,
    price,
    heldUntilAt,
    cancellationPolicy,
    mode: SessionMode.IN_PERSON,
    location: 'Shivaji Nagar, Bhopal',
    practitionerName: 'Meera Joshi',
    state: BookingState.HELD,
    firstName: 'Asha',
  };
  return create(PaymentPageSchema, { ...init, ...changes } as PageInit);
}

/** What the server gives after a cancellation, or from two hours after the session. */
function moneyFixture(changes: PageInit) {
  const { price } = bookingFixture();
  const init: PageInit = { bookingId: BOOKING_ID, price, termsAccepted: true, moneyOnly: true };
  return create(PaymentPageSchema, { ...init, ...changes } as PageInit);
}

const server: {
  page: ReturnType<typeof pageFixture>;
  failure: ConnectError | undefined;
  accepted: number;
  codes: number;
  started: number;
  status: PaymentStatus;
  renewed: string[];
} = {
  page: pageFixture(),
  failure: undefined,
  accepted: 0,
  codes: 0,
  started: 0,
  status: PaymentStatus.OTHER,
  renewed: [],
};

const consents = new ConsentServer();

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  server.renewed = [];
  server.page = pageFixture();
  server.failure = undefined;
  server.accepted = 0;
  server.codes = 0;
  server.started = 0;
  server.status = PaymentStatus.OTHER;
});

const transport = createRouterTransport(({ service }) => {
  consents.serve(service);
  service(PaymentPageService, {
    getPaymentPage: ({ pageKey }) => {
      if (server.failure) throw server.failure;
      if (pageKey !== PAGE_KEY) throw refusal(Code.NotFound, 'BOOKING_NOT_FOUND');
      return { page: server.page };
    },
    renewPageKey: ({ pageKey }) => {
      server.renewed.push(pageKey);
      return {};
    },
    requestConsentCode: () => {
      server.codes += 1;
      return { validMinutes: 15 };
    },
    acceptTerms: ({ termsAccepted, shown, consent, consentCode }) => {
      expect(termsAccepted).toBe(true);
      // The versions are those of the build, which a test has none of.
      expect(shown?.noticeHours).toBe(24);
      if (server.page.needsConsentCode && consentCode !== CODE) {
        throw refusal(Code.FailedPrecondition, 'CONSENT_CODE_WRONG');
      }
      if (server.page.needsConsent) expect(consent?.signature).toBe('A. Rao');
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
    listPageReceipts: () => ({
      receipts: [
        {
          serial: 'SUK/26-27/00001',
          kind: 'receipt',
          issuedAt: { seconds: 1_795_500_000n, nanos: 0 },
          amount: { minorUnits: 50_000n, currencyCode: 'INR' },
        },
      ],
    }),
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

test('the agreement says the notice of the booking, not the one of today', async () => {
  const startsAt = at(new Date(Date.now() + 10 * 86_400_000).toISOString());
  const sessions = [create(SessionSchema, { startsAt, endsAt: startsAt })];
  server.page = pageFixture({ sessions, cancellationPolicy: noticeOf(48) });
  open();
  expect(await screen.findByText(/You can cancel your session until 48 hours/)).toBeTruthy();
});

const title = () => screen.findByRole('heading', { level: 1 });

test('the booking is shown, agreed to, and paid in another tab', async () => {
  // The tab has a document of its own.
  const document = window.document.implementation.createHTMLDocument();
  const tab = { opener: null, document, location: { replace: vi.fn() }, close: vi.fn() };
  vi.spyOn(window, 'open').mockReturnValue(tab as unknown as Window);
  const person = open();
  await waitFor(async () => expect((await title()).textContent).toBe('Confirm Your Booking'));
  expect(screen.getByText(/^Welcome,/).textContent).toBe('Welcome, Asha.');
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
  await expectAccessible();
  server.status = PaymentStatus.CANCELLED;
  await person.click(confirm);
  await screen.findByText('Payment was cancelled or expired');
  server.status = PaymentStatus.PAID;
  server.page = pageFixture({ state: BookingState.CONFIRMED, termsAccepted: true });
  await person.click(confirm);
  await waitFor(async () => expect((await title()).textContent).toBe('Booking Confirmed!'));
  await expectAccessible();
});

test('a consent is signed with the code of the mail, and with nothing else', async () => {
  vi.spyOn(window, 'open').mockReturnValue(null);
  server.page = pageFixture({ needsConsent: true, needsConsentCode: true });
  const person = open();
  await person.type(await screen.findByLabelText('Full name'), 'Asha Rao');
  await person.type(screen.getByLabelText('Email'), 'asha@example.org');
  await person.type(screen.getByLabelText('Signature'), 'A. Rao');
  for (const tick of screen.getAllByRole('checkbox')) await person.click(tick);
  const pay = screen.getByRole('button', { name: /^Agree & Pay/ });
  expect(pay).toHaveProperty('disabled', true);
  await expectAccessible();
  await person.click(screen.getByRole('button', { name: 'Send me a code' }));
  const field = await screen.findByLabelText('6-digit code');
  expect(server.codes).toBe(1);
  expect(pay).toHaveProperty('disabled', true);
  await person.type(field, '111111');
  await person.click(pay);
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
  expect(server.accepted).toBe(0);
  await person.clear(field);
  await person.type(field, '042 731');
  await person.click(pay);
  await waitFor(() => expect(server.accepted).toBe(1));
});

test('what has ended says so', async () => {
  server.page = moneyFixture({ state: BookingState.EXPIRED });
  open();
  await screen.findByText('This time is not held any more');
  expect(screen.queryByRole('checkbox')).toBeNull();
});

test('a cancelled booking says so', async () => {
  const rupees = { minorUnits: 50_000n, currencyCode: 'INR' };
  server.page = moneyFixture({
    state: BookingState.CANCELLED,
    paid: rupees,
    refundComing: rupees,
    refundDueAt: { seconds: 1_796_000_000n, nanos: 0 },
  });
  open();
  await screen.findByText('This booking was cancelled');
  expect(screen.getByText('To be refunded')).toBeTruthy();
  expect(screen.getByText('Should arrive by').nextElementSibling?.textContent).toMatch(/2026/);
  expect(await screen.findByText(/^Receipt SUK\/26-27\/00001/)).toBeTruthy();
  expect(screen.getByText(/To ask for a refund/)).toBeTruthy();
});

test('a session that is over shows its money and nothing of itself', async () => {
  const paid = { minorUnits: 50_000n, currencyCode: 'INR' };
  server.page = moneyFixture({ state: BookingState.COMPLETED, paid });
  open();
  await screen.findByText('This booking is over');
  expect(screen.queryByText('General Consultation')).toBeNull();
  expect(screen.queryByText(/calendar/i)).toBeNull();
});

test('a link that has ended is renewed by mail, and its key is forgotten', async () => {
  server.failure = refusal(Code.FailedPrecondition, 'PAGE_KEY_ENDED');
  const person = open();
  const renew = await screen.findByRole('button', { name: 'Mail Me a New Link' });
  await expectAccessible();
  await person.click(renew);
  await screen.findByText('Please look into your mail');
  expect(server.renewed).toEqual([PAGE_KEY]);
  expect(JSON.stringify({ ...sessionStorage })).not.toContain(PAGE_KEY);
  expect(window.location.href).not.toContain(PAGE_KEY);
});

test.each([
  ['BOOKING_ADOPTED', 'This booking belongs to an account'],
  ['PAGE_OVER', 'The page of this booking has ended'],
])('%s leads on, and the key is forgotten', async (reason, told) => {
  server.failure = refusal(Code.FailedPrecondition, reason);
  open();
  await screen.findByText(told);
  expect(screen.queryByRole('button', { name: 'Mail Me a New Link' })).toBeNull();
  await waitFor(() => expect(JSON.stringify({ ...sessionStorage })).not.toContain(PAGE_KEY));
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
  const again = await screen.findByRole('button', { name: /try again/i });
  server.failure = undefined;
  await person.click(again);
  await waitFor(async () => expect((await title()).textContent).toBe('Confirm Your Booking'));
});
