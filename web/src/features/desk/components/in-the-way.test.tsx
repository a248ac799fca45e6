/** Closing a time in which a session lies: its client is named, with what can be done about it. */
import { Code } from '@connectrpc/connect';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { DeskServer, staffBooking } from '@/testing/desk-server';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { MemberContext } from '../member';
import { rowsInTheWay } from '../model/closing';
import { sessionRows } from '../model/day';
import './act-dialogs';
import { TodayScreen } from './today-screen';

vi.mock('@/lib/auth', () => ({ signOut: () => undefined }));

/** Noon of the day before, in India. */
const NOW = Date.parse('2026-11-23T06:30:00Z');
const ELEVEN = new Date('2026-11-24T05:30:00Z');
const FIVE = new Date('2026-11-24T11:30:00Z');

const bela = { firstName: 'Bela', lastName: 'Sen', phone: '', email: 'b@example.org' };

test('the client in the way is named, and is asked for another time from there', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: NOW });
  const server = new DeskServer();
  server.bookings = [staffBooking(7, ELEVEN), staffBooking(8, FIVE, { contact: bela } as never)];
  renderApp(
    <MemberContext value={{ userId: 'own', role: StaffRole.OWNER }}>
      <main>
        <TodayScreen params={{ id: '2026-11-24' }} />
      </main>
    </MemberContext>,
    { path: '/desk/day/2026-11-24', transport: server.transport() },
  );
  const person = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
  await person.click(await screen.findByRole('button', { name: 'Close a time…' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Close a time' }));
  await person.type(dialog.getByLabelText('Until'), '14:00');
  server.refusals = [refusal(Code.Aborted, 'SLOT_TAKEN')];
  await person.click(dialog.getByRole('button', { name: 'Close it to clients' }));
  const way = within(await dialog.findByRole('region', { name: 'In the way' }));
  way.getByText('Asha Rao');
  expect(way.queryByText('Bela Sen')).toBeNull();
  way.getByRole('button', { name: 'Move… Asha Rao' });
  way.getByRole('link', { name: 'Open the booking of Asha Rao' });
  await expectAccessible();

  await person.click(way.getByRole('button', { name: 'Ask for another time… Asha Rao' }));
  await screen.findByRole('dialog', { name: 'Ask Asha Rao for another time' });
  expect(screen.queryByRole('dialog', { name: 'Close a time' })).toBeNull();
});

test('another time is asked about anew', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: NOW });
  const server = new DeskServer();
  server.bookings = [staffBooking(7, ELEVEN)];
  renderApp(
    <MemberContext value={{ userId: 'own', role: StaffRole.OWNER }}>
      <TodayScreen params={{ id: '2026-11-24' }} />
    </MemberContext>,
    { path: '/desk/day/2026-11-24', transport: server.transport() },
  );
  const person = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
  await person.click(await screen.findByRole('button', { name: 'Close a time…' }));
  server.refusals = [refusal(Code.Aborted, 'SLOT_TAKEN')];
  await person.click(screen.getByRole('button', { name: 'Close it to clients' }));
  await screen.findByText('Something is in the way');
  await person.type(screen.getByLabelText('From'), '13:00');
  await waitFor(() => expect(screen.queryByText('Something is in the way')).toBeNull());
  expect(screen.queryByRole('region', { name: 'In the way' })).toBeNull();
});

test('what ends where a closed time begins is not in the way, and a whole day has no end', () => {
  const rows = sessionRows([staffBooking(7, ELEVEN), staffBooking(8, FIVE)]);
  const way = (fromTime: string, toTime: string, practitionerId = 'lead') => {
    const wish = { date: '2026-11-24', fromTime, toTime, practitionerId };
    return rowsInTheWay(rows, wish, 'Asia/Kolkata').map(({ startsAt }) => startsAt);
  };
  expect(way('12:00', '17:00')).toEqual([]);
  expect(way('11:59', '17:00')).toEqual([ELEVEN]);
  expect(way('', '')).toEqual([ELEVEN, FIVE]);
  expect(way('', '', 'ravi')).toEqual([]);
});
