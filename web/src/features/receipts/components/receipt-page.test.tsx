/** A booking's receipts, with a server that a test plays. */
import { create } from '@bufbuild/protobuf';
import { Code, type ConnectError, createRouterTransport } from '@connectrpc/connect';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import {
  type Booking,
  BookingService,
  BookingState,
  PaymentState,
} from '@/gen/booking/v1/booking_service_pb';
import {
  type Payer,
  PayerSchema,
  PaymentsService,
  type Receipt,
} from '@/gen/payments/v1/payments_service_pb';
import type { AuthState } from '@/lib/auth';
import { expectAccessible } from '@/testing/accessible';
import { BOOKING_ID, bookingFixture } from '@/testing/booking-fixture';
import { gstFixture, receiptFixture, rupees } from '@/testing/receipt-fixture';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { LOOK_AGAIN_SECONDS } from '../receipt-schedule';
import { ReceiptPage } from './receipt-page';

const auth = vi.hoisted((): { state: AuthState } => ({
  state: { status: 'signed-out', user: undefined },
}));
vi.mock('@/lib/auth', () => ({ useAuth: () => auth.state }));

const PERSON = { id: 'u1', email: 'asha@example.org', firstName: '', lastName: '', phone: '' };
const PAID = bookingFixture({ state: BookingState.CONFIRMED, paymentState: PaymentState.PAID });

const server: {
  booking: Booking;
  receipts: Receipt[];
  /** Can be changed, where there is one. */
  payer: Payer | undefined;
  refusal: ConnectError | undefined;
  looks: number;
  /** From this look on there is a receipt. */
  writtenAt: number;
} = { booking: PAID, receipts: [], payer: undefined, refusal: undefined, looks: 0, writtenAt: 1 };

beforeEach(() => {
  auth.state = { status: 'signed-in', user: PERSON };
  Object.assign(server, {
    booking: PAID,
    receipts: [receiptFixture()],
    payer: undefined,
    refusal: undefined,
    looks: 0,
    writtenAt: 1,
  });
  vi.useRealTimers();
});

const transport = createRouterTransport(({ service }) => {
  service(BookingService, {
    getBooking: () => {
      if (server.refusal) throw server.refusal;
      return { booking: server.booking };
    },
  });
  service(PaymentsService, {
    listReceipts: () => {
      server.looks += 1;
      const { payer } = server;
      const receipts = server.looks >= server.writtenAt ? server.receipts : [];
      return { receipts, ...(payer ? { payer, takesPayer: true } : {}) };
    },
  });
});

function open(path = `/receipt?b=${BOOKING_ID}`) {
  renderApp(<ReceiptPage />, { path, transport });
}

const sheet = () => screen.findByRole('article', { name: 'Receipt' });

test('the sheet says everything that a receipt has to say', async () => {
  open();
  const paper = within(await sheet());
  await expectAccessible();
  for (const text of [
    'SUK/26-27/00001',
    'Sukoon',
    'Arera Colony, Bhopal, Madhya Pradesh 462016',
    'Saturday, 21 November 2026',
    'Asha Rao',
    'General Consultation',
    'Online, with Meera Joshi',
    'pay_Q1w2e3r4t5y6u7',
    'A1A1A1A1',
  ]) {
    expect(paper.getByText((content) => content.replace(/ at /, ' ') === text)).toBeTruthy();
  }
  expect(paper.getByText('Reference')).toBeTruthy();
  expect(document.body.textContent).not.toContain('bkg_');
  const row = paper.getByRole('row', { name: /Amount paid/ });
  expect(row.textContent).toContain('₹500');
  expect(paper.queryByText(/GST|tax/i)).toBeNull();
  expect(document.title).toBe('Receipt SUK/26-27/00001 · Sukoon');
});

test('what a payer wrote runs in the direction of its own letters', async () => {
  const payer = { name: 'شركة النور', address: 'شارع السلام، دبي.', stateCode: '27', gstin: '' };
  server.receipts = [receiptFixture({ payer })];
  server.payer = create(PayerSchema, payer);
  open();
  const paper = within(await sheet());
  expect(paper.getByText(payer.name).tagName).toBe('BDI');
  expect(paper.getByText(payer.address).dir).toBe('auto');
  const line = within(screen.getByText(/^Billed to/));
  expect(line.getByText(payer.name).tagName).toBe('BDI');
});

test('a registered practice states its number and its tax', async () => {
  server.receipts = [gstFixture({ refunded: rupees(100_00n) })];
  open();
  const paper = within(await sheet());
  expect(paper.getByText('GSTIN 23ABCDE1234F1Z5')).toBeTruthy();
  expect(paper.getByText('999312')).toBeTruthy();
  const rows = paper.getAllByRole('row').map((row) => row.textContent);
  expect(rows).toEqual([
    'Taxable value₹423.73',
    'Central tax (CGST) 9%₹38.14',
    'State tax (SGST) 9%₹38.13',
    'Amount paid₹500',
    'Refunded-₹100',
    'Remaining₹400',
  ]);
});

test('the button prints', async () => {
  const print = vi.fn();
  vi.stubGlobal('print', print);
  open();
  await sheet();
  const person = userEvent.setup();
  const button = screen.getByRole('button', { name: 'Print' });
  await person.click(button);
  expect(print).toHaveBeenCalledTimes(1);
  // It is the first thing to press behind the title.
  screen.getByRole('heading', { level: 1 }).focus();
  await person.tab();
  expect(document.activeElement).toBe(button);
  await person.keyboard('{Enter}');
  expect(print).toHaveBeenCalledTimes(2);
  vi.unstubAllGlobals();
});

test('a receipt that is being written is waited for', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  server.writtenAt = 3;
  open();
  await screen.findByText('The receipt is being written…');
  await vi.advanceTimersByTimeAsync(3500);
  await sheet();
  expect(server.looks).toBe(3);
});

test('a receipt that stays away is not waited for without end', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  server.writtenAt = 99;
  open();
  await screen.findByText('The receipt is being written…');
  await expectAccessible();
  for (const seconds of LOOK_AGAIN_SECONDS) await vi.advanceTimersByTimeAsync(seconds * 1000 + 50);
  await screen.findByText('The receipt takes longer than usual');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(server.looks).toBe(LOOK_AGAIN_SECONDS.length + 1);
  server.writtenAt = 1;
  const person = userEvent.setup({ advanceTimers: vi.advanceTimersByTimeAsync });
  await person.click(screen.getByRole('button', { name: 'Look again' }));
  await sheet();
});

test('where nothing is paid, no receipt is promised', async () => {
  server.booking = bookingFixture();
  server.receipts = [];
  open();
  await screen.findByRole('heading', { name: 'There is no receipt yet' });
  await expectAccessible();
  const back = screen.getByRole('link', { name: 'To the booking' });
  expect(back.getAttribute('href')).toBe(
    `/booking-flow?service=general-consultation&b=${BOOKING_ID}`,
  );
});

test.each([
  [{ state: BookingState.EXPIRED }, /^The time was released/],
  [{ state: BookingState.PAID_UNPLACED, paymentState: PaymentState.PAID }, /All of the money goes/],
  [{ state: BookingState.CANCELLED }, /^The time was given back/],
  [{ state: BookingState.CANCELLED, paymentState: PaymentState.REFUNDED }, /^The session was canc/],
])(
  'a booking that ended without a receipt has none, and nothing is waited for %#',
  async (facts, reason) => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    server.booking = bookingFixture(facts);
    server.receipts = [];
    open();
    await screen.findByRole('heading', { name: 'There is no receipt for this booking' });
    expect(screen.getByText(reason)).toBeTruthy();
    await expectAccessible();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.looks).toBe(1);
  },
);

test('a booking that was cancelled keeps the receipt that it had', async () => {
  const { CANCELLED } = BookingState;
  server.booking = bookingFixture({ state: CANCELLED, paymentState: PaymentState.REFUNDED });
  open();
  await sheet();
});

test('another customer’s receipt is not found', async () => {
  server.refusal = refusal(Code.NotFound, 'BOOKING_NOT_FOUND');
  open();
  await screen.findByRole('heading', { name: 'Receipt not found' });
  await expectAccessible();
  expect(screen.queryByRole('article')).toBeNull();
});

test('neither does an address without a booking', () => {
  open('/receipt');
  expect(screen.getByRole('heading', { name: 'Receipt not found' })).toBeTruthy();
  expect(server.looks).toBe(0);
});

test('without a session the page leads to signing in and back', async () => {
  auth.state = { status: 'signed-out', user: undefined };
  open();
  const link = screen.getByRole('link', { name: 'Sign In' });
  await expectAccessible();
  const path = encodeURIComponent(`/receipt?b=${BOOKING_ID}`);
  expect(link.getAttribute('href')).toBe(`/sign-in?return=${path}`);
  expect(server.looks).toBe(0);
});
