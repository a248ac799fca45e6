/** The consultation that costs nothing: from the invitation to the confirmed session. */
import { Code } from '@connectrpc/connect';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { FreeConsultation } from '@/components/free-consultation';
import { BookingState, MailState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { BOOKING_ID, bookingFixture, FREE_SESSION } from '@/testing/booking-fixture';
import { beginEach, heading, openPage } from '@/testing/booking-page';
import { BookingServer } from '@/testing/booking-server';
import { ASHA } from '@/testing/played-client';
import { practiceFixture } from '@/testing/practice-fixture';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import BookingFlowPage from '../routes/booking-flow';
// Loaded with the tests, so that none of them waits for it.
import './schedule-screen';

const identity = vi.hoisted(() => ({
  getUser: vi.fn(),
  resend: vi.fn(),
  verifyOtp: vi.fn(),
  updateUser: vi.fn(),
}));

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth(identity));

const FLOW = '/booking-flow?service=free-consultation';
// Tomorrow's session is inside the cancellation limit.
const TODAY = new Date('2026-11-23T12:30:00Z');

let server: BookingServer;

beginEach({ user: ASHA, now: TODAY.toISOString() });

beforeEach(() => {
  server = new BookingServer();
  for (const call of Object.values(identity)) call.mockReset();
  identity.getUser.mockResolvedValue({
    data: { user: { id: 'u1', sign_up_secret: 'made here' } },
    error: null,
  });
  identity.resend.mockResolvedValue({ data: {}, error: null });
});

function open(path: string) {
  return openPage(BookingFlowPage, { path, transport: server.transport() });
}

const book = () => screen.getByRole('button', { name: 'Book This Time' });

async function readyToBook() {
  const person = open(FLOW);
  await person.click(await screen.findByLabelText(/^11:00 am IST/));
  await person.click(screen.getByLabelText('I agree to these simple terms'));
  return person;
}

test('it is booked without a payment, and nothing speaks of money', async () => {
  const person = open(FLOW);
  await heading('Book Your Session');
  expect(screen.getByText(/Free Consultation · 15 minutes · Free/)).toBeTruthy();
  const steps = screen.getByRole('navigation', { name: 'Booking steps' });
  expect(steps.textContent).not.toContain('Payment');
  expect(within(steps).getAllByRole('listitem')).toHaveLength(3);
  await person.click(await screen.findByLabelText(/^11:00 am IST/));
  await person.click(screen.getByLabelText('I agree to these simple terms'));
  expect(screen.getByRole('main').textContent).toContain('free of charge');
  expect(screen.getByRole('main').textContent).not.toMatch(/₹|refund|You pay/);
  await expectAccessible();
  await person.click(book());

  await heading('Booking Confirmed!');
  expect(within(screen.getByTestId('toasts')).getByText('Your session is booked.')).toBeTruthy();
  expect(screen.queryByText('Payment Verified!')).toBeNull();
  await screen.findByText('Free');
  const main = screen.getByRole('main').textContent ?? '';
  expect(main).not.toMatch(/₹|refund|Paid/);
  expect(screen.queryByRole('link', { name: 'Receipt' })).toBeNull();
  expect(server.requests).toHaveLength(1);
  await expectAccessible();
});

test('a double press of the button after a lost answer shows the one session', async () => {
  const person = await readyToBook();
  server.refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE')];
  await person.click(book());
  await person.click(await screen.findByRole('button', { name: 'Try again' }));
  await heading('Booking Confirmed!');
  const keys = server.requests.map((request) => request.idempotencyKey);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
});

test('an address that was never proved is proved by the code of a mail first', async () => {
  const person = await readyToBook();
  server.refusals = [refusal(Code.FailedPrecondition, 'ADDRESS_NOT_PROVED')];
  await person.click(book());
  await screen.findByRole('heading', { name: 'Confirm Your Email' });
  expect(screen.queryByRole('alert')).toBeNull();
  await expectAccessible();
  await person.click(screen.getByRole('button', { name: 'Send me a code' }));
  expect(identity.resend).toHaveBeenCalledWith({ type: 'signup', email: ASHA.email });

  identity.verifyOtp.mockResolvedValue({ data: { session: { access_token: 't' } }, error: null });
  const code = await screen.findByLabelText('Code from our mail');
  await expectAccessible();
  await person.type(code, '123456');
  await person.click(screen.getByRole('button', { name: 'Confirm' }));
  await heading('Booking Confirmed!');
  // What the service told this browser shows that the account is its own.
  expect(identity.verifyOtp.mock.calls[0]?.[0]).toMatchObject({ sign_up_secret: 'made here' });
  expect(server.requests).toHaveLength(2);
});

test('an account that loses its password by the proof gets a new one, and then the time', async () => {
  const person = await readyToBook();
  server.refusals = [refusal(Code.FailedPrecondition, 'ADDRESS_NOT_PROVED')];
  await person.click(book());
  await person.click(await screen.findByRole('button', { name: 'Send me a code' }));
  const data = { session: { access_token: 't', password_needed: true } };
  identity.verifyOtp.mockResolvedValue({ data, error: null });
  identity.updateUser.mockResolvedValue({ data: {}, error: null });
  await person.type(await screen.findByLabelText('Code from our mail'), '123456');
  await person.click(screen.getByRole('button', { name: 'Confirm' }));
  await person.type(await screen.findByLabelText('New password'), 'a river and seven stones');
  await person.click(screen.getByRole('button', { name: 'Save New Password' }));
  await heading('Booking Confirmed!');
});

test('a second one is refused with a way to the services', async () => {
  const person = await readyToBook();
  const message = 'You have had your free consultation.';
  server.refusals = [refusal(Code.FailedPrecondition, 'FREE_SESSION_USED', { message })];
  await person.click(book());
  const notice = within(await screen.findByRole('alert'));
  expect(notice.getByText(message)).toBeTruthy();
  expect(notice.queryByRole('button', { name: 'Try again' })).toBeNull();
  expect(notice.getByRole('link', { name: 'See all services' })).toBeTruthy();
  await expectAccessible();
});

test.each([
  [{ state: BookingState.CANCELLED }, 'Your session is cancelled'],
  [{ mailState: MailState.FAILED }, 'Booking Confirmed!'],
])('what becomes of it is told without a word about money %#', async (changes, title) => {
  server.booking = bookingFixture({ ...FREE_SESSION, ...changes });
  open(`/booking-flow?step=confirmed&b=${BOOKING_ID}`);
  await heading(title);
  const main = screen.getByRole('main').textContent ?? '';
  expect(main).not.toMatch(/₹|Payment|money|refund|charged/i);
  expect(server.booking.paymentState).toBe(PaymentState.UNSPECIFIED);
});

test('a practice without one invites to nothing', async () => {
  renderApp(<FreeConsultation />);
  const link = screen.getByRole('link', { name: 'Choose a time' });
  expect(link.getAttribute('href')).toBe(FLOW);
  const snapshot = { ...practiceFixture(), consultation: undefined };
  renderApp(<FreeConsultation />, { snapshot });
  await waitFor(() => expect(screen.getAllByRole('link')).toHaveLength(1));
});
