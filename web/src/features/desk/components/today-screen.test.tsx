/** Today at the desk: who sees it, what stands on it, and what is done on it, with a played server. */
import { Code } from '@connectrpc/connect';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { BookingState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { Attendance, CancelledBy, StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { formatClock } from '@/lib/time';
import { expectAccessible } from '@/testing/accessible';
import { closedTime, DeskServer, staffBooking } from '@/testing/desk-server';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { DeskFrame } from './desk-frame';
import { TodayScreen } from './today-screen';

const auth = vi.hoisted(() => ({ current: {} as object }));
vi.mock('@/lib/auth', () => ({
  useAuth: () => auth.current,
  accessToken: async () => 'token',
  signOut: () => undefined,
}));

const HOUR = 3_600_000;
const ZONE = { timeZone: 'Asia/Kolkata', label: 'IST' };
/** Noon of a day in India, by which all of these tests run. */
const NOON = Date.parse('2026-11-24T06:30:00Z');
const hours = (count: number) => new Date(NOON + count * HOUR);

let server: DeskServer;

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: NOON });
  const user = { id: 'own', email: 'm@example.org', firstName: 'Meera', lastName: 'Joshi' };
  auth.current = { status: 'signed-in', user };
  server = new DeskServer();
});

function open(id?: string) {
  renderApp(
    <>
      <DeskFrame>
        <TodayScreen params={{ id }} />
      </DeskFrame>
      <Toaster />
    </>,
    { path: id ? `/desk/day/${id}` : '/desk', transport: server.transport() },
  );
  return userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
}

const row = (name: RegExp) => screen.findByRole('button', { name });

test('signed out: it leads to the sign-in and back', async () => {
  auth.current = { status: 'signed-out', user: undefined };
  open();
  const links = await screen.findAllByRole('link', { name: 'Sign In' });
  expect(links.map((link) => link.getAttribute('href'))).toContain('/sign-in?return=%2Fdesk');
  expect(screen.queryByRole('navigation', { name: 'Desk' })).toBeNull();
});

test('an account that is no member is told so', async () => {
  server.role = StaffRole.UNSPECIFIED;
  open();
  await screen.findByText(/not a member of the practice/);
  await expectAccessible();
});

test('without the second step it leads to it', async () => {
  server.read = () => {
    throw refusal(Code.PermissionDenied, 'SECOND_FACTOR_REQUIRED');
  };
  open();
  const way = await screen.findByRole('link', { name: 'Go to the Second Step' });
  expect(way.getAttribute('href')).toBe('/sign-in?return=%2Fdesk');
});

test('the day in its order: sessions, held and closed times, and what is free', async () => {
  server.bookings = [
    staffBooking(1, hours(1)),
    staffBooking(2, hours(5), {
      state: BookingState.HELD,
      paymentState: PaymentState.PENDING,
      contact: { firstName: 'Ravi', lastName: 'Menon' },
    } as never),
    staffBooking(3, hours(3), { state: BookingState.CANCELLED }),
  ];
  server.blocked = [closedTime(1, hours(2), hours(3))];
  open();
  await row(/Asha Rao/);
  const items = screen.getAllByRole('listitem').filter((item) => item.closest('main'));
  const words = items.map(({ textContent }) => textContent ?? '');
  expect(words[0]).toContain(formatClock(hours(1), ZONE));
  expect(words[1]).toContain('Closed');
  expect(words[2]).toContain('Free 3:00 pm – 5:00 pm');
  expect(words[3]).toMatch(/Ravi Menon.*Held until/);
  expect(words).toHaveLength(4);
  const card = screen.getByRole('region', { name: 'Now and next' });
  within(card).getByText('Next · in 1 h');
  within(card).getByRole('link', { name: 'Call Asha' });
  await expectAccessible();
});

test('ten minutes before, the card leads into the room', async () => {
  server.bookings = [staffBooking(1, hours(0.15))];
  open();
  const join = await screen.findByRole('link', { name: 'Join' });
  expect(join.getAttribute('href')).toBe('https://meet.example/room');
});

test('the ways lead to each screen, and that to the tasks says how many wait', async () => {
  const claimed = { state: BookingState.AWAITING_PAYMENT, paymentState: PaymentState.CLAIMED };
  server.bookings = [staffBooking(1, hours(4), claimed)];
  open();
  const ways = within(await screen.findByRole('navigation', { name: 'Desk' }));
  expect(ways.queryByText(/waiting/)).toBeNull();
  await vi.advanceTimersByTimeAsync(5_000);
  await ways.findByRole('link', { name: 'Tasks 1 waiting' });
  const links = ways.getAllByRole('link').map((link) => link.getAttribute('href'));
  expect(links).toEqual([
    ...['/desk', '/desk/calendar', '/desk/new', '/desk/find', '/desk/tasks', '/desk/more'],
  ]);
  const onPhones = ways.getAllByRole('listitem').filter((it) => !it.className.includes('hidden'));
  expect(onPhones.map((it) => it.textContent)).toEqual([
    ...['Today', 'Calendar', 'Book', 'Tasks1 waiting', 'More'],
  ]);
  expect(ways.getByRole('link', { current: 'page' }).textContent).toBe('Today');
});

test.each([
  [true, 'answers'],
  [false, 'does not answer'],
])('wide: %s, the desk %s to single keys once the page is idle', async (matches) => {
  const list = { matches, addEventListener: vi.fn(), removeEventListener: vi.fn() };
  const asked = vi.spyOn(window, 'matchMedia').mockReturnValue(list as never);
  const person = open();
  await screen.findByText('Nothing is booked today.');
  await vi.advanceTimersByTimeAsync(4_000);
  if (matches) {
    await waitFor(async () => {
      await person.keyboard('?');
      screen.getByRole('dialog', { name: 'Keyboard shortcuts' });
    });
  } else {
    await person.keyboard('?');
    expect(screen.queryByRole('dialog')).toBeNull();
  }
  asked.mockRestore();
});

test('an empty day says what comes next', async () => {
  server.bookings = [staffBooking(1, hours(47))];
  open();
  await screen.findByText('Nothing is booked today.');
  await screen.findByText('Next: Thu, 26 Nov, 11:00 am.');
  await expectAccessible();
});

test('when the last session is over it says so, and leads to the next day that has some', async () => {
  server.bookings = [
    ...[staffBooking(1, hours(-2)), staffBooking(2, hours(48)), staffBooking(3, hours(47))],
    staffBooking(4, hours(72)),
  ];
  open();
  await screen.findByText('No session is left today.');
  const next = await screen.findByRole('link', { name: 'Next: Thu, 26 Nov, 11:00 am.' });
  expect(next.getAttribute('href')).toBe('/desk/day/2026-11-26');
  screen.getByText('2 sessions are booked on that day.');
  await expectAccessible();
});

test('a day that is closed, or of which a time is only held, has nothing booked', async () => {
  const held = { state: BookingState.HELD, paymentState: PaymentState.PENDING };
  server.bookings = [staffBooking(1, hours(2), held)];
  server.blocked = [closedTime(1, hours(3), hours(5))];
  open();
  await screen.findByText('Nothing is booked today.');
  await screen.findByText('Nor is anything in the 31 days from then on.');
});

test('while a session runs or comes nothing is said of the end', async () => {
  server.bookings = [staffBooking(1, hours(-2)), staffBooking(2, hours(-0.5))];
  open();
  await screen.findByText('Now');
  expect(screen.queryByText('No session is left today.')).toBeNull();
});

test('two presses mark who did not come, and Undo takes it back under its own key', async () => {
  server.bookings = [staffBooking(1, hours(-2))];
  const person = open();
  await person.click(await row(/Asha Rao/));
  const sheet = await screen.findByRole('dialog', { name: 'Asha Rao' });
  await person.click(within(sheet).getByRole('button', { name: 'Did not come' }));
  await screen.findByText('Asha: did not come');
  expect(screen.queryByRole('dialog')).toBeNull();
  await row(/Did not come/);
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  await screen.findByText('Asha: not marked any more');
  expect(server.marks.map(({ attendance }) => attendance)).toEqual([
    Attendance.NO_SHOW,
    Attendance.UNMARKED,
  ]);
  expect(server.keys.size).toBe(2);
});

test('a mark whose answer is lost is done once, and said once it is known', async () => {
  server.bookings = [staffBooking(1, hours(-2))];
  server.lost = 2;
  const person = open();
  await person.click(await screen.findByRole('button', { name: 'Asha came' }));
  await vi.advanceTimersByTimeAsync(4_000);
  await screen.findByText('Asha: came');
  expect(server.marks).toHaveLength(1);
});

test('without any answer it is not sure, and Check reads what is true', async () => {
  server.bookings = [staffBooking(1, hours(-2))];
  server.lost = 5;
  const person = open();
  await person.click(await screen.findByRole('button', { name: 'Asha came' }));
  await vi.advanceTimersByTimeAsync(16_000);
  await screen.findByText('Not sure whether it was done');
  await person.click(screen.getByRole('button', { name: 'Check' }));
  await waitFor(() => expect(screen.queryByText('Not sure whether it was done')).toBeNull());
  await row(/Came/);
});

test('a cancellation says the sum, the name and the time before the press', async () => {
  server.bookings = [staffBooking(1, hours(4))];
  const person = open();
  await person.click(await row(/^4:00 pm.*Asha Rao/));
  await person.click(screen.getByRole('button', { name: 'Cancel…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Cancel for Asha Rao' });
  await within(dialog).findByText('Tuesday, 24 November 2026 at 4:00 pm IST');
  await expectAccessible();
  await person.click(within(dialog).getByRole('radio', { name: 'The practice' }));
  await person.click(
    await within(dialog).findByRole('button', { name: 'Cancel and give ₹1,500 back' }),
  );
  await screen.findByText('Asha Rao: cancelled. ₹1,500 goes back.');
  expect(server.cancels[0]?.cancelledBy).toBe(CancelledBy.PRACTICE);
  await waitFor(() => expect(screen.queryByRole('button', { name: /Asha Rao/ })).toBeNull());
});

test('another sum than the one that was shown is shown before anything is done', async () => {
  server.bookings = [staffBooking(1, hours(4))];
  const person = open();
  await person.click(await row(/^4:00 pm.*Asha Rao/));
  await person.click(screen.getByRole('button', { name: 'Cancel…' }));
  const button = await screen.findByRole('button', { name: 'Cancel and give ₹1,500 back' });
  server.refund = 0n;
  await vi.advanceTimersByTimeAsync(11_000);
  await person.click(button);
  await screen.findByText('It has changed meanwhile');
  screen.getByRole('button', { name: 'Cancel, nothing goes back' });
  expect(server.cancels).toHaveLength(0);
});

test('who may not cancel for the practice is not asked who wants it', async () => {
  server.role = StaffRole.FRONT_DESK;
  server.bookings = [staffBooking(1, hours(4))];
  const person = open();
  await person.click(await row(/^4:00 pm.*Asha Rao/));
  await person.click(screen.getByRole('button', { name: 'Cancel…' }));
  await screen.findByRole('button', { name: /^Cancel and give/ });
  expect(screen.queryByRole('radio')).toBeNull();
});

test('closed times that cannot be read say so, and the sessions stay', async () => {
  server.bookings = [staffBooking(1, hours(1))];
  server.blockedDown = true;
  open();
  await row(/Asha Rao/);
  await screen.findByText('The closed times cannot be read right now');
});

test('what comes while the day is looked at waits until it is asked for', async () => {
  server.bookings = [staffBooking(1, hours(4))];
  const person = open();
  await row(/^4:00 pm/);
  server.bookings = [staffBooking(2, hours(2)), ...server.bookings];
  await vi.advanceTimersByTimeAsync(21_000);
  const show = await screen.findByRole('button', { name: '1 new · Show' });
  expect(screen.queryByRole('button', { name: /^2:00 pm/ })).toBeNull();
  await person.click(show);
  await row(/^2:00 pm/);
  expect(screen.queryByRole('button', { name: /Show/ })).toBeNull();
});

test('a day that cannot be read again stays, with the time of what is shown', async () => {
  server.bookings = [staffBooking(1, hours(4))];
  open();
  await row(/^4:00 pm/);
  server.down = true;
  fireEvent(window, new Event('online'));
  await vi.advanceTimersByTimeAsync(21_000);
  await screen.findByText(/^As of 12:00 pm/);
  screen.getByRole('button', { name: 'Retry' });
  await row(/^4:00 pm/);
});

test('a role that changes while the desk is open changes what is offered', async () => {
  server.bookings = [staffBooking(1, hours(4))];
  open();
  await row(/^4:00 pm/);
  server.role = StaffRole.FRONT_DESK;
  await vi.advanceTimersByTimeAsync(61_000);
  await screen.findByText('Your role has changed to front desk');
  server.role = StaffRole.UNSPECIFIED;
  await vi.advanceTimersByTimeAsync(61_000);
  await screen.findByText(/not a member of the practice/);
});

test('a date that is none is told', async () => {
  open('2026-13-45');
  await screen.findByText(/This is no date/);
});
