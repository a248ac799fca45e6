/** What a client said about coming late, and times that are offered to the wait list, on a day. */
import { create } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { ToldLateSchema } from '@/gen/booking/v1/booking_service_pb';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { at, bookingFixture } from '@/testing/booking-fixture';
import { DeskServer, offeredTime, staffBooking } from '@/testing/desk-server';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { MemberContext } from '../member';
import { lateWords } from '../model/staff-booking';
import { CalendarScreen } from './calendar-screen';
import { TodayScreen } from './today-screen';

vi.mock('@/lib/auth', () => ({ signOut: () => undefined }));

/** 10:55 of a day in India. */
const NOW = Date.parse('2026-11-24T05:25:00Z');
const ZONE = { timeZone: 'Asia/Kolkata', label: 'IST' };
const on = (time: string) => new Date(`2026-11-24T${time}:00+05:30`);
const told = (minutes: number, sessionNumber = 1) =>
  create(ToldLateSchema, { sessionNumber, minutes, toldAt: at('2026-11-24T05:22:00Z') });

let server: DeskServer;

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: NOW });
  server = new DeskServer();
});

function open(where: 'today' | 'calendar' = 'today') {
  renderApp(
    <MemberContext value={{ userId: 'own', role: StaffRole.OWNER }}>
      <main>{where === 'today' ? <TodayScreen params={{}} /> : <CalendarScreen />}</main>
      <Toaster />
    </MemberContext>,
    { path: where === 'today' ? '/desk' : '/desk/calendar', transport: server.transport() },
  );
  return userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
}

test('who comes late is told on the card, on the row and in its sheet', async () => {
  server.bookings = [staffBooking(1, on('11:00'), { toldLate: told(10) })];
  const person = open();
  const card = await screen.findByRole('region', { name: 'Now and next' });
  within(card).getByText('10 min late, told at 10:52 am');
  const row = await screen.findByRole('button', {
    name: /Asha Rao.*10 min late, told at 10:52 am/,
  });
  await expectAccessible();
  await person.click(row);
  await screen.findByText(/^10 min late, told at 10:52 am · Confirmed/);
});

test('it is said of the session that it is about, and of none where it was taken back', () => {
  const words = (minutes: number, number: number) =>
    lateWords(bookingFixture({ toldLate: told(minutes, 2) }), number, ZONE);
  expect(words(15, 2)).toBe('15 min late, told at 10:52 am');
  expect([words(15, 1), words(0, 2), lateWords(bookingFixture(), 1, ZONE)]).toEqual(['', '', '']);
});

test('an offered time says until when, and two presses end the offer, without Undo', async () => {
  server.blocked = [offeredTime(1, on('12:00'), on('13:00'), on('13:05'))];
  const person = open();
  await screen.findByText('Offered to a client on the wait list until 1:05 pm');
  expect(screen.queryByRole('button', { name: /^Open again/ })).toBeNull();
  await expectAccessible();
  await person.click(screen.getByRole('button', { name: 'Take it back from 12:00 pm' }));
  expect(server.blocked).toHaveLength(1);
  await person.click(screen.getByRole('button', { name: 'End the offer from 12:00 pm' }));
  await screen.findByText('The offer is over');
  expect(server.blocked).toHaveLength(0);
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  await waitFor(() => expect(screen.queryByText(/^Offered to a client/)).toBeNull());
});

test('one that its client has taken meanwhile is over as well', async () => {
  server.blocked = [
    offeredTime(1, on('12:00'), on('13:00'), new Date('2026-11-25T09:30:00+05:30')),
  ];
  const person = open('calendar');
  await screen.findByText('Offered to a client on the wait list until Wed, 25 Nov, 9:30 am');
  await person.click(screen.getByRole('button', { name: 'Take it back from 12:00 pm' }));
  server.blocked = [];
  await person.click(screen.getByRole('button', { name: 'End the offer from 12:00 pm' }));
  await screen.findByText('The offer is over');
});

test('an end that is refused says why, and the time stays offered', async () => {
  server.blocked = [offeredTime(1, on('12:00'), on('13:00'), on('13:05'))];
  server.refusals = [refusal(Code.PermissionDenied, 'NOT_OWN_CALENDAR')];
  const person = open('calendar');
  await person.click(await screen.findByRole('button', { name: 'Take it back from 12:00 pm' }));
  await person.click(screen.getByRole('button', { name: 'End the offer from 12:00 pm' }));
  await screen.findByText('That is another person’s calendar');
  screen.getByText('Offered to a client on the wait list until 1:05 pm');
  await expectAccessible();
});
