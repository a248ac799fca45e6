/** Calendar, Find and Book at the desk, with a played server. */
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { slotsFixture } from '@/testing/booking-fixture';
import { closedTime, DeskServer, deskBookingId, staffBooking } from '@/testing/desk-server';
import { practiceFixture, practitionersFixture } from '@/testing/practice-fixture';
import { renderApp } from '@/testing/render-app';
import { MemberContext } from '../member';
import { datesOf, parseCalendar, writeCalendar } from '../model/calendar';
import { closingError, closingOfSpan } from '../model/closing';
import { foundIn, isEnough, referenceIn } from '../model/find';
import { CalendarScreen } from './calendar-screen';
import { FindScreen } from './find-screen';
import { NewScreen } from './new-screen';

vi.mock('@/lib/auth', () => ({ signOut: () => undefined }));

const DATE = '2026-11-24';
const on = (time: string) => new Date(`${DATE}T${time}:00+05:30`);

let server: DeskServer;

beforeEach(() => {
  server = new DeskServer();
});

function Address() {
  const { pathname, search } = useLocation();
  return <output>{`${pathname}${search}`}</output>;
}

function open(screenOf: ReactNode, path: string) {
  renderApp(
    <MemberContext value={{ userId: 'own', role: StaffRole.OWNER }}>
      <main>{screenOf}</main>
      <Address />
      <Toaster />
    </MemberContext>,
    {
      path,
      transport: server.transport(),
      snapshot: withPractitioners(),
    },
  );
  return userEvent.setup();
}

function withPractitioners() {
  const snapshot = practiceFixture();
  return { ...snapshot, practice: { ...snapshot.practice, practitioners: practitionersFixture() } };
}

const CALENDAR = `/desk/calendar?date=${DATE}`;

test('a day has a column for each person, with free times that offer to book and to close', async () => {
  server.bookings = [
    staffBooking(1, on('11:00')),
    staffBooking(2, on('15:00')),
    staffBooking(3, on('11:00'), {
      practitionerId: 'ravi',
      contact: { firstName: 'Hari' },
    } as never),
  ];
  const person = open(<CalendarScreen />, CALENDAR);
  const meera = await screen.findByRole('region', { name: 'Meera Joshi' });
  const ravi = screen.getByRole('region', { name: 'Ravi Menon' });
  expect(within(meera).getAllByRole('button', { name: /Asha Rao/ })).toHaveLength(2);
  within(ravi).getByRole('button', { name: /Hari/ });
  const book = within(meera).getByRole('link', { name: 'Book at 12:00 pm' });
  expect(book.getAttribute('href')).toBe('/desk/new?start=2026-11-24T06:30:00Z');
  await expectAccessible();
  await person.click(within(meera).getByRole('button', { name: 'Close from 12:00 pm' }));
  const dialog = await screen.findByRole('dialog', { name: 'Close a time' });
  expect(within(dialog).getByLabelText('Until').getAttribute('value')).toBe('15:00');
  await expectAccessible();
  await person.click(within(dialog).getByRole('button', { name: 'Close it to clients' }));
  await screen.findByText('Closed to clients');
  await within(meera).findByText('Closed');
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  await screen.findByText('Open to clients again');
  expect(server.blocked).toHaveLength(0);
});

test('a closed time is opened again, and so is one that another person has opened meanwhile', async () => {
  server.blocked = [closedTime(1, on('12:00'), on('13:00'))];
  const person = open(<CalendarScreen />, CALENDAR);
  const again = await screen.findByRole('button', { name: 'Open again from 12:00 pm' });
  server.blocked = [];
  await person.click(again);
  await screen.findByText('Open to clients again');
  await waitFor(() => expect(screen.queryByText('Closed')).toBeNull());
});

test('a week has its seven days, and the address says what is shown', async () => {
  const person = open(<CalendarScreen />, CALENDAR);
  await person.click(await screen.findByRole('radio', { name: 'Week' }));
  await screen.findByRole('region', { name: 'Monday, 23 November' });
  await screen.findByRole('region', { name: 'Sunday, 29 November' });
  await person.click(screen.getByRole('button', { name: 'The week after' }));
  await screen.findByRole('region', { name: 'Monday, 30 November' });
  screen.getByText('/desk/calendar?view=week&date=2026-12-01');
});

test('an address of the calendar holds a view, a date and a person, and nothing else', () => {
  const url = parseCalendar(new URLSearchParams('view=week&date=2026-11-24&who=ravi'));
  expect(writeCalendar(url)).toBe('/desk/calendar?view=week&date=2026-11-24&who=ravi');
  const odd = parseCalendar(new URLSearchParams('view=year&date=2026-13-01&who=<b>'));
  expect(writeCalendar(odd)).toBe('/desk/calendar');
  expect(datesOf('week', '2026-11-29')[0]).toBe('2026-11-23');
});

test('a free time into the next day is closed until midnight, and no end is before its begin', () => {
  const span = { startsAt: on('22:00'), endsAt: new Date('2026-11-25T09:00:00+05:30') };
  const closing = closingOfSpan(span, 'Asia/Kolkata', 'lead');
  expect(closing).toEqual({ date: DATE, fromTime: '22:00', toTime: '', practitionerId: 'lead' });
  expect(closingError({ ...closing, toTime: '21:00' })).toBe('The end has to be after the begin');
});

test('a reference finds any booking, and what was typed stands in no address', async () => {
  server.bookings = [staffBooking(1234, on('11:00'))];
  const person = open(<FindScreen />, '/desk/find');
  await person.type(screen.getByRole('searchbox'), '00001234{Enter}');
  const found = await screen.findByRole('link', { name: /Asha Rao/ });
  expect(found.getAttribute('href')).toBe(`/desk/bookings/${deskBookingId(1234)}`);
  screen.getByText('/desk/find');
  await expectAccessible();
});

test('a part of a name, a number or an address finds its client; too little is told', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: on('12:00') });
  server.bookings = [staffBooking(1, on('11:00'))];
  const person = open(<FindScreen />, '/desk/find');
  const box = screen.getByRole('searchbox');
  await person.type(box, 'a{Enter}');
  await screen.findByText('Two letters or four digits at least');
  await person.type(box, 'sha{Enter}');
  await screen.findByRole('link', { name: /Asha Rao/ });
  await person.clear(box);
  await person.type(box, 'Zoya{Enter}');
  await screen.findByText(/Nothing was found/);
  screen.getByText('Looked at the sessions from 24 October 2026 to 23 January 2027.');
});

test('the same is looked for once more, as a booking may have come meanwhile', async () => {
  const person = open(<FindScreen />, '/desk/find');
  await person.type(screen.getByRole('searchbox'), 'Asha{Enter}');
  await screen.findByText(/Nothing was found/);
  server.bookings = [staffBooking(1, on('11:00'))];
  await person.click(screen.getByRole('button', { name: 'Find' }));
  await screen.findByRole('link', { name: /Asha Rao/ });
});

test('what is typed is a reference, a number or a name', () => {
  expect(referenceIn(' DD4CA70C ')).toBe('DD4CA70C');
  expect(referenceIn(deskBookingId(5))).toBe('00000005');
  expect(referenceIn('Asha')).toBeUndefined();
  expect(['43210', '321', 'Ash', 'A'].map(isEnough)).toEqual([true, false, true, false]);
  const all = [staffBooking(1, on('11:00')), staffBooking(2, on('12:00'))];
  expect(foundIn(all, '98765 43210').map(({ booking }) => booking?.bookingId)).toEqual([
    deskBookingId(2),
    deskBookingId(1),
  ]);
  for (const shown of ['098765 43210', '0091 98765 43210', '+91 98765 43210', '43210']) {
    expect(foundIn(all, shown), shown).toHaveLength(2);
  }
  expect(foundIn(all, '0123')).toHaveLength(0);
  expect(foundIn(all, 'a@EXAMPLE')).toHaveLength(2);
});

test('a booking for a client ends with the page on which it is paid', async () => {
  server.slots = slotsFixture([{ date: DATE, starts: [{ hour: 11 }, { hour: 15 }] }]);
  server.lost = 1;
  const person = open(<NewScreen />, '/desk/new?start=2026-11-24T09:30:00Z&service=meditation');
  await waitFor(() =>
    expect(screen.getByRole('radio', { name: '3:00 pm' })).toHaveProperty('checked', true),
  );
  expect(screen.getByLabelText('Service')).toHaveProperty('value', 'meditation');
  await expectAccessible();
  await person.click(screen.getByRole('button', { name: 'Hold the time' }));
  await screen.findByText('First name is required');
  await person.type(screen.getByLabelText('First name'), 'Asha');
  await person.type(screen.getByLabelText('Last name'), 'Rao');
  await person.type(screen.getByLabelText('Email'), 'asha@example.org');
  await person.type(screen.getByLabelText(/^Phone/), '98765 43210');
  await person.click(screen.getByRole('button', { name: 'Hold the time' }));
  await screen.findByRole('heading', { name: 'The time is held' });
  screen.getByText(/\/pay\/booking#key=key-of-the-page$/);
  const whatsapp = screen.getByRole('link', { name: 'Send by WhatsApp' });
  expect(whatsapp.getAttribute('href')).toMatch(
    /^https:\/\/wa\.me\/919876543210\?text=Hello%20Asha/,
  );
  expect(server.phoneBookings).toHaveLength(1);
  expect(server.phoneBookings[0]).toMatchObject({ serviceId: 'meditation', sendMail: true });
  await expectAccessible();
});

test('without a time nothing is sent', async () => {
  server.slots = slotsFixture([{ date: DATE, starts: [{ hour: 11 }] }]);
  const person = open(<NewScreen />, '/desk/new');
  await screen.findByRole('radio', { name: '11:00 am' });
  await person.click(screen.getByRole('button', { name: 'Hold the time' }));
  await screen.findByText('Choose a time first.');
  expect(server.phoneBookings).toHaveLength(0);
});
