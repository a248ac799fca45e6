/** The policy, with a clock and a server that a test plays. */
import { Code, type ConnectError, createRouterTransport } from '@connectrpc/connect';
import { act, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Booking, BookingService, BookingState } from '@/gen/booking/v1/booking_service_pb';
import type { AuthState } from '@/lib/auth';
import { expectAccessible } from '@/testing/accessible';
import { BOOKING_ID, bookingFixture, packageFixture } from '@/testing/booking-fixture';
import { practiceFixture } from '@/testing/practice-fixture';
import { refusal } from '@/testing/refusal';
import { renderApp, writtenApp } from '@/testing/render-app';
import { PolicyPage } from './policy-page';

const auth = vi.hoisted((): { state: AuthState } => ({
  state: { status: 'signed-out', user: undefined },
}));
vi.mock('@/lib/auth', () => ({ useAuth: () => auth.state }));

const ASHA = { id: 'u1', email: 'asha@example.org', firstName: 'Asha', lastName: '', phone: '' };
const EXPIRED = '24-hour cancellation window has expired';

const server: { booking: Booking; refusals: ConnectError[]; asked: string[] } = {
  booking: bookingFixture(),
  refusals: [],
  asked: [],
};

beforeEach(() => {
  // Only the page's clock is stopped; answers of the server come in real time.
  const toFake = ['Date', 'setInterval', 'clearInterval'] as const;
  vi.useFakeTimers({ toFake: [...toFake], now: new Date('2026-11-21T12:00:00Z') });
  auth.state = { status: 'signed-out', user: undefined };
  const booking = bookingFixture({ state: BookingState.CONFIRMED });
  Object.assign(server, { booking, refusals: [], asked: [] });
});

afterEach(() => vi.useRealTimers());

const transport = createRouterTransport(({ service }) =>
  service(BookingService, {
    getBooking: ({ bookingId }) => {
      server.asked.push(bookingId);
      const refused = server.refusals.shift();
      if (refused) throw refused;
      return { booking: server.booking };
    },
  }),
);

function open(search = '') {
  renderApp(<PolicyPage />, { path: `/cancellation-policy${search}`, transport });
}

const timer = () => screen.getByRole('timer', { name: 'Time left to cancel' });

async function pass(milliseconds: number) {
  await act(() => vi.advanceTimersByTimeAsync(milliseconds));
}

test('without a booking the page says the rule, the steps, the support and the notes', async () => {
  open();
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Cancellation Policy');
  expect(screen.queryByRole('timer')).toBeNull();
  const steps = within(screen.getByRole('list')).getAllByRole('listitem');
  expect(steps).toHaveLength(4);
  const wanted = [
    /within 24 hours/,
    /name, e-mail, service, booking confirmation details and the reason/,
    /2-3 business days/,
    /5-7 business days.*original payment method/,
  ];
  for (const [at, words] of wanted.entries()) expect(steps[at]?.textContent).toMatch(words);
  const support = within(screen.getByRole('region', { name: 'Support' }));
  const phone = support.getByRole('link', { name: /^\+91\s75555\s50100$/ });
  expect(phone.getAttribute('href')).toBe('tel:+917555550100');
  expect(support.getByText('Monday to Saturday, 9:00 AM to 6:00 PM IST')).toBeTruthy();
  for (const words of [
    /may not get a full refund/,
    /each case by itself/,
    /missed without notice aren't refunded/,
  ]) {
    expect(screen.getByText(words)).toBeTruthy();
  }
  await expectAccessible();
});

test('how long a reply and a refund take is for the practice to say', () => {
  const snapshot = practiceFixture();
  Object.assign(snapshot.practice, { refundDaysText: 'two weeks', replyDaysText: 'one day' });
  renderApp(<PolicyPage />, { transport, snapshot });
  const steps = within(screen.getByRole('list')).getAllByRole('listitem');
  expect(steps[2]?.textContent).toContain('one day');
  expect(steps[3]?.textContent).toContain('two weeks');
  expect(document.body.textContent).not.toContain('business days');
});

test('it counts each second to 24 hours after the booking, and says once that it has ended', async () => {
  // Two seconds are left.
  open('?bookingTime=2026-11-20T12:00:02Z&service=energy-healing');
  expect(timer().textContent).toBe('00:00:02');
  expect(screen.getByText('Energy Healing')).toBeTruthy();
  expect(screen.getByRole('status').textContent).toBe('');
  await pass(1000);
  expect(timer().textContent).toBe('00:00:01');
  expect(screen.getByRole('status').textContent).toBe('');
  await pass(1000);
  expect(screen.queryByRole('timer')).toBeNull();
  expect(screen.getByRole('status').textContent).toContain(EXPIRED);
  await expectAccessible();
});

test('a whole window is shown in hours, minutes and seconds', async () => {
  open('?bookingTime=2026-11-21T12:00:00Z');
  expect(timer().textContent).toBe('24:00:00');
  await pass(61_000);
  expect(timer().textContent).toBe('23:58:59');
  await expectAccessible();
});

test('a window that is over says so from the beginning', () => {
  open('?bookingTime=2026-11-19T12:00:00Z&service=nothing-we-know');
  expect(screen.getByText(EXPIRED)).toBeTruthy();
  expect(screen.queryByRole('timer')).toBeNull();
});

test('a time that cannot be parsed leaves the policy as it is', async () => {
  open('?bookingTime=tomorrow');
  expect(screen.getByText(/We could not read the time in this link/)).toBeTruthy();
  expect(screen.queryByRole('timer')).toBeNull();
  expect(screen.getByRole('heading', { name: 'Steps to cancel' })).toBeTruthy();
  await expectAccessible();
});

test('a booking of a visitor leads to signing in and back', async () => {
  open(`?b=${BOOKING_ID}`);
  const back = encodeURIComponent(`/cancellation-policy?b=${BOOKING_ID}`);
  const link = await screen.findByRole('link', { name: 'Sign In' });
  expect(link.getAttribute('href')).toBe(`/sign-in?return=${back}`);
  expect(server.asked).toEqual([]);
  await expectAccessible();
});

test('a booking of mine counts to 24 hours before it starts', async () => {
  auth.state = { status: 'signed-in', user: ASHA };
  open(`?b=${BOOKING_ID}`);
  // From Saturday noon to Monday, 5:30 in the morning.
  expect((await screen.findByRole('timer')).textContent).toBe('41:30:00');
  expect(screen.getByText('General Consultation')).toBeTruthy();
  expect(screen.getByText('Monday, 23 November 2026 at 11:00 am IST')).toBeTruthy();
  const mail = screen.getByRole('link', { name: 'Email us to cancel' });
  expect(mail.getAttribute('href')).toContain('A1A1A1A1');
  expect(server.asked).toEqual([BOOKING_ID]);
  await expectAccessible();
});

test('a package counts with its own hours to the next of its sessions that are left', async () => {
  auth.state = { status: 'signed-in', user: ASHA };
  const days = ['2026-11-21T20:00:00Z', '2026-11-23T12:00:00Z', '2026-11-26T12:00:00Z'];
  const times = days.map((day) => new Date(day));
  const booking = packageFixture(times, { packageId: 'starter', noticeHours: 12 });
  booking.state = BookingState.MEETING_SCHEDULED;
  server.booking = booking;
  open(`?b=${BOOKING_ID}`);
  // The first session's limit has passed; twelve hours before the second one are 36 hours away.
  expect((await screen.findByRole('timer')).textContent).toBe('36:00:00');
  expect(screen.getByText('Mental Health Therapy: the next of 3 sessions')).toBeTruthy();
  await pass(36 * 3_600_000);
  expect(timer().textContent).toBe('72:00:00');
  await pass(72 * 3_600_000);
  expect(screen.getByText('12-hour cancellation window has expired')).toBeTruthy();
});

test('a session of a package that is cancelled has no limit', async () => {
  auth.state = { status: 'signed-in', user: ASHA };
  const booking = packageFixture([
    new Date('2026-11-23T12:00:00Z'),
    new Date('2026-11-26T12:00:00Z'),
  ]);
  booking.state = BookingState.MEETING_SCHEDULED;
  // The server states no steps of a session that was cancelled.
  for (const session of booking.sessions.slice(0, 1)) {
    Object.assign(session, { cancelled: true, refundSteps: [] });
  }
  server.booking = booking;
  open(`?b=${BOOKING_ID}`);
  expect((await screen.findByRole('timer')).textContent).toBe('96:00:00');
});

test('a booking that is cancelled already needs no clock', async () => {
  auth.state = { status: 'signed-in', user: ASHA };
  server.booking = bookingFixture({ state: BookingState.CANCELLED });
  open(`?b=${BOOKING_ID}`);
  expect(await screen.findByText(/This booking is cancelled already/)).toBeTruthy();
  expect(screen.queryByRole('timer')).toBeNull();
});

test('another customer’s booking is not found', async () => {
  auth.state = { status: 'signed-in', user: ASHA };
  server.refusals = [refusal(Code.NotFound, 'BOOKING_NOT_FOUND')];
  open(`?b=${BOOKING_ID}`);
  expect(await screen.findByText('We could not find this booking')).toBeTruthy();
  await expectAccessible();
});

test('a call that fails can be tried again', async () => {
  auth.state = { status: 'signed-in', user: ASHA };
  server.refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE', { referenceId: 'ref-7' })];
  open(`?b=${BOOKING_ID}`);
  expect(screen.getByText('Your booking is being looked up…')).toBeTruthy();
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('could not be looked up');
  expect(alert.textContent).toContain('ref-7');
  await expectAccessible();
  await act(async () => within(alert).getByRole('button', { name: 'Try again' }).click());
  expect(await screen.findByRole('timer')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('the written document is the same whatever is asked', () => {
  const written = (path: string) => writtenApp(<PolicyPage />, { path, transport });
  const plain = written('/cancellation-policy');
  for (const query of ['bookingTime=2026-11-21T12:00:00Z', `b=${BOOKING_ID}`, 'bookingTime=x']) {
    expect(written(`/cancellation-policy?${query}`)).toBe(plain);
  }
});
