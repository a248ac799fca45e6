/** /account/sessions with a server that a test plays: the lists and their states. */
import { Code, ConnectError } from '@connectrpc/connect';
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { BookingState, PaymentState, SessionMode } from '@/gen/booking/v1/booking_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { at, BOOKING_ID, packageFixture } from '@/testing/booking-fixture';
import { address, beginEach, openPage } from '@/testing/booking-page';
import { OwnSessionsServer, ownBooking, ownBookingId } from '@/testing/own-sessions-server';
import { ASHA, beginAs } from '@/testing/played-client';
import { rupees } from '@/testing/receipt-fixture';
import { refusal } from '@/testing/refusal';
import { OwnSessionsPage } from './own-sessions-page';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

let server: OwnSessionsServer;

beginEach({ user: ASHA });

beforeEach(() => {
  server = new OwnSessionsServer();
});

function open() {
  return openPage(() => <OwnSessionsPage missing={() => <p>Booked by phone?</p>} />, {
    path: '/account/sessions',
    transport: server.transport(),
  });
}

function part(name: string) {
  return screen.findByRole('region', { name }).then((region) => within(region));
}

const LATER = {
  bookingId: ownBookingId(2),
  serviceTitle: 'Energy Healing',
  sessions: [{ startsAt: at('2026-12-01T05:30:00Z'), endsAt: at('2026-12-01T06:30:00Z') }],
};
const OLD = {
  bookingId: ownBookingId(3),
  serviceId: 'meditation',
  serviceTitle: 'Meditation',
  state: BookingState.COMPLETED,
  sessions: [{ startsAt: at('2026-11-01T05:30:00Z'), endsAt: at('2026-11-01T06:30:00Z') }],
};

test('the next session is a card with all that it needs; then come later ones, and past ones', async () => {
  server.coming = [ownBooking(), ownBooking(LATER)];
  server.past = [ownBooking(OLD)];
  open();
  const next = await part('Next');
  const card = within(next.getByRole('article', { name: 'General Consultation' }));
  expect(card.getByText('Tuesday, 24 November 2026, 11:00 am – 11:45 am IST')).toBeTruthy();
  for (const fact of ['Meera Joshi', 'Online', '₹1,500', 'Confirmed']) {
    expect(card.getByText(fact)).toBeTruthy();
  }
  const join = card.getByRole('link', { name: 'Join' });
  expect(join.getAttribute('href')).toBe(`/join/${BOOKING_ID}`);
  expect(card.getByRole('button', { name: 'Add to calendar' })).toBeTruthy();
  const receipt = card.getByRole('link', { name: 'Receipt for General Consultation' });
  expect(receipt.getAttribute('href')).toBe(`/receipt?b=${BOOKING_ID}`);
  const details = card.getByRole('link', { name: 'Details, or cancel' });
  expect(details.getAttribute('href')).toBe(`/account/sessions/${BOOKING_ID}`);

  const later = await part('Later');
  expect(later.getByRole('article', { name: 'Energy Healing' })).toBeTruthy();
  const past = await part('Past sessions');
  const old = within(past.getByRole('article', { name: 'Meditation' }));
  expect(old.getByText('Over')).toBeTruthy();
  const again = old.getByRole('link', { name: 'Book again for Meditation' });
  expect(again.getAttribute('href')).toBe('/booking-flow?service=meditation');
  expect(old.getByRole('link', { name: 'Receipt for Meditation' })).toBeTruthy();
  const review = old.getByRole('link', { name: 'Write a review of Meditation' });
  expect(review.getAttribute('href')).toBe('/reviews#write');
  const waiting = screen.getByRole('link', { name: 'Your wait list' });
  expect(waiting.getAttribute('href')).toBe('/account/waiting');
  await expectAccessible();
});

test('one that can be moved says so', async () => {
  const booking = ownBooking();
  const movableUntilAt = at('2026-11-23T05:30:00Z');
  const sessions = booking.sessions.map((one) => ({ ...one, movableUntilAt, movesLeft: 1 }));
  server.coming = [{ ...booking, sessions }];
  open();
  const link = await screen.findByRole('link', { name: 'Move, cancel or see details' });
  expect(link.getAttribute('href')).toBe(`/account/sessions/${BOOKING_ID}`);
});

test('a session in person says where, and has no room to join', async () => {
  server.coming = [ownBooking({ mode: SessionMode.IN_PERSON, location: '12 Lake Road' })];
  open();
  const next = await part('Next');
  expect(next.getByText('In person')).toBeTruthy();
  expect(next.getByText('12 Lake Road')).toBeTruthy();
  expect(next.queryByRole('link', { name: 'Join' })).toBeNull();
});

test('a package shows its sessions and which is next', async () => {
  const times = ['2026-11-21T05:30:00Z', '2026-11-28T05:30:00Z', '2026-12-05T05:30:00Z'];
  const booking = packageFixture(times.map((time) => new Date(time)));
  server.coming = [{ ...booking, state: BookingState.CONFIRMED, paymentState: PaymentState.PAID }];
  open();
  const sessions = await screen.findByRole('list', { name: 'Sessions of the package' });
  const rows = within(sessions).getAllByRole('listitem');
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Session 1Sat, 21 Nov, 11:00 am.*Over$/),
    expect.stringMatching(/^Session 2Sat, 28 Nov, 11:00 am.*Next$/),
    expect.stringMatching(/^Session 3Sat, 5 Dec, 11:00 am/),
  ]);
  expect(screen.getByText('Session 2 of 3:', { exact: false })).toBeTruthy();
  await expectAccessible();
});

test('a time that is held leads on to paying', async () => {
  const paymentState = PaymentState.PENDING;
  server.coming = [ownBooking({ state: BookingState.HELD, paymentState, paid: undefined })];
  open();
  const pay = await screen.findByRole('link', { name: 'Go on to payment' });
  expect(pay.getAttribute('href')).toBe(`/booking-flow?step=payment&b=${BOOKING_ID}`);
  expect(screen.getByText('Your time is kept until 11:30 am IST')).toBeTruthy();
  expect(screen.getByText('To be paid')).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Join' })).toBeNull();
});

test('what is owed and what is on its way back is said', async () => {
  const state = BookingState.CANCELLED;
  server.coming = [ownBooking({ refundOwed: rupees(50_000n) })];
  server.past = [ownBooking({ ...OLD, state, paymentState: PaymentState.REFUNDING })];
  open();
  expect(await screen.findByText('We owe you ₹500')).toBeTruthy();
  const past = await part('Past sessions');
  expect(past.getByText('Cancelled')).toBeTruthy();
  expect(past.queryByRole('link', { name: /review/ })).toBeNull();
  expect(past.getByText('Your money is on its way back to you.')).toBeTruthy();
});

test('a cancellation under way can be undone from the list', async () => {
  const pending = { refund: rupees(150_000n), takesEffectAt: at('2026-11-22T05:32:00Z') };
  server.coming = [ownBooking({ pendingCancellation: pending })];
  const person = open();
  expect(await screen.findByText('Your session is being cancelled')).toBeTruthy();
  expect(screen.getByText(/2:00 left/)).toBeTruthy();
  await expectAccessible();
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('Nothing is cancelled')).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull());
  expect(screen.getByText('Confirmed')).toBeTruthy();
});

test('a cancellation that takes effect is said, and the booking is over', async () => {
  const pending = { refund: rupees(150_000n), takesEffectAt: at('2026-11-22T05:32:00Z') };
  server.coming = [ownBooking({ pendingCancellation: pending })];
  open();
  await screen.findByText('Your session is being cancelled');
  server.takeEffect();
  act(() => void window.dispatchEvent(new Event('visibilitychange')));
  const toasts = within(screen.getByTestId('toasts'));
  expect(await toasts.findByText('Cancelled; ₹1,500 is on its way back')).toBeTruthy();
  const past = await part('Past sessions');
  expect(past.getByRole('article', { name: 'General Consultation' })).toBeTruthy();
});

test('more past sessions come by pages, and the focus goes to the first of them', async () => {
  server.pageSize = 2;
  server.past = [1, 2, 3].map((number) =>
    ownBooking({ ...OLD, bookingId: ownBookingId(number), serviceTitle: `Session of ${number}` }),
  );
  const person = open();
  expect(await screen.findByText('Nothing is coming up.')).toBeTruthy();
  const past = await part('Past sessions');
  expect(past.getAllByRole('article')).toHaveLength(2);
  await person.click(past.getByRole('button', { name: 'Show more' }));
  const third = await past.findByRole('link', { name: 'Session of 3' });
  await waitFor(() => expect(document.activeElement).toBe(third));
  expect(past.queryByRole('button', { name: 'Show more' })).toBeNull();
});

test('without any booking the page says so and leads to the services', async () => {
  open();
  expect(await screen.findByText(/You have no sessions yet/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'See our services' })).toBeTruthy();
  expect(screen.getByText('Booked by phone?')).toBeTruthy();
  // What is chosen before the first booking holds for it.
  expect(screen.getByText('Mails about sessions')).toBeTruthy();
  await expectAccessible();
});

test('a list that cannot be read says so, and is read again by a press', async () => {
  server.down = true;
  server.coming = [ownBooking()];
  const person = open();
  expect(screen.getByText('Loading your sessions…')).toBeTruthy();
  await expectAccessible();
  const retry = await screen.findByRole('button', { name: 'Try again' });
  await expectAccessible();
  server.down = false;
  await person.click(retry);
  expect(await screen.findByRole('article', { name: 'General Consultation' })).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('what was read stays where the next look fails, and news come with the focus', async () => {
  server.coming = [ownBooking()];
  open();
  await screen.findByRole('article', { name: 'General Consultation' });
  const look = () => act(() => void window.dispatchEvent(new Event('visibilitychange')));
  server.down = true;
  look();
  await screen.findByRole('alert');
  expect(screen.getByRole('article', { name: 'General Consultation' })).toBeTruthy();
  server.down = false;
  const [booking] = server.coming;
  if (booking) server.tell(booking, { serviceTitle: 'Karmic Healing' });
  look();
  expect(await screen.findByRole('article', { name: 'Karmic Healing' })).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});

test('without a network the page says so, and is there when the network is', async () => {
  const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  server.unreadable = new ConnectError('Failed to fetch', Code.Unknown);
  server.coming = [ownBooking()];
  open();
  expect((await screen.findByRole('alert')).textContent).toContain('You are offline');
  await expectAccessible();
  online.mockReturnValue(true);
  server.unreadable = undefined;
  act(() => void window.dispatchEvent(new Event('online')));
  expect(await screen.findByRole('article', { name: 'General Consultation' })).toBeTruthy();
});

test('a session that has ended shows nothing of the person, and leads to signing in', async () => {
  server.coming = [ownBooking()];
  const person = open();
  await screen.findByRole('article', { name: 'General Consultation' });
  server.unreadable = refusal(Code.Unauthenticated, 'UNAUTHENTICATED');
  act(() => void window.dispatchEvent(new Event('visibilitychange')));
  const signIn = await screen.findByRole('button', { name: 'Sign In' });
  await waitFor(() => expect(screen.queryByRole('article')).toBeNull());
  await expectAccessible();
  await person.click(signIn);
  expect(address()).toBe('/sign-in?return=%2Faccount%2Fsessions');
});

test('a visitor is asked to sign in, and comes back', async () => {
  beginAs(undefined);
  open();
  const link = screen.getByRole('link', { name: 'Sign In' });
  expect(link.getAttribute('href')).toBe('/sign-in?return=%2Faccount%2Fsessions');
  await expectAccessible();
});
