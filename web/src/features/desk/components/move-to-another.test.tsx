/** Moving a session to another practitioner at the desk, with a played server. */
import { Code } from '@connectrpc/connect';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { MovedBy, StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { slotsFixture } from '@/testing/booking-fixture';
import { DeskServer, deskBookingId, staffBooking } from '@/testing/desk-server';
import { practiceFixture, practitionersFixture } from '@/testing/practice-fixture';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { MemberContext } from '../member';
import { BookingScreen } from './booking-screen';
import './act-dialogs';

vi.mock('@/lib/auth', () => ({ signOut: () => undefined }));

/** Noon of the day before, in India. */
const NOW = Date.parse('2026-11-23T06:30:00Z');
const START = new Date('2026-11-24T05:30:00Z');
const BUTTON = 'Move Asha Rao to Fri, 27 Nov, 3:00 pm with Ravi Menon';
const ID = deskBookingId(7);

let server: DeskServer;

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: NOW });
  server = new DeskServer();
  server.bookings = [staffBooking(7, START)];
  server.slots = slotsFixture([{ date: '2026-11-26', starts: [{ hour: 11 }] }]);
  server.slotsOf = { ravi: slotsFixture([{ date: '2026-11-27', starts: [{ hour: 15 }] }]) };
});

async function open(role = StaffRole.FRONT_DESK) {
  const snapshot = practiceFixture();
  for (const service of snapshot.services) service.practitioners = practitionersFixture();
  renderApp(
    <MemberContext value={{ userId: 'own', role }}>
      <main>
        <BookingScreen params={{ id: ID }} />
      </main>
      <Toaster />
    </MemberContext>,
    { path: `/desk/bookings/${ID}`, transport: server.transport(), snapshot },
  );
  const person = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
  const [first] = await screen.findAllByRole('button', { name: /^What to do… with/ });
  if (first) await person.click(first);
  await person.click(screen.getByRole('button', { name: 'Move…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Move for Asha Rao' }));
  await dialog.findByRole('radio', { name: 'Thu 26 Nov' });
  return { person, dialog };
}

test('the times are those of the other person, a reason is asked for, and Undo moves it back', async () => {
  const { person, dialog } = await open();
  expect(dialog.queryByLabelText('Why')).toBeNull();
  await person.click(dialog.getByRole('radio', { name: '11:00 am' }));
  await dialog.findByRole('button', { name: 'Move Asha Rao to Thu, 26 Nov, 11:00 am' });
  await person.click(dialog.getByRole('radio', { name: 'Ravi Menon' }));
  await person.click(await dialog.findByRole('radio', { name: '3:00 pm' }));
  expect(dialog.queryByRole('radio', { name: 'Thu 26 Nov' })).toBeNull();
  await person.click(dialog.getByRole('button', { name: BUTTON }));
  dialog.getByText('Say why, in a few words');
  expect(server.moves).toEqual([]);
  await expectAccessible();
  await person.type(dialog.getByLabelText('Why'), ' Ravi speaks Hindi ');
  await person.click(dialog.getByRole('button', { name: BUTTON }));
  await screen.findByText('Asha Rao: moved to Fri, 27 Nov, 3:00 pm');
  await screen.findByText(/with Ravi Menon$/);
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  await screen.findByText('Asha Rao: back at Tue, 24 Nov, 11:00 am');
  const [there, back] = server.moves;
  const said = { bookingId: ID, movedBy: MovedBy.CUSTOMER_ASKED };
  expect(there).toMatchObject({ ...said, practitionerId: 'ravi', reason: 'Ravi speaks Hindi' });
  expect(back).toMatchObject({ ...said, practitionerId: 'lead', reason: 'Moved back at once.' });
});

test('a practitioner that does not give it is refused in words, and the first can be chosen again', async () => {
  const { person, dialog } = await open();
  await person.click(dialog.getByRole('radio', { name: 'Ravi Menon' }));
  await person.click(await dialog.findByRole('radio', { name: '3:00 pm' }));
  await person.type(dialog.getByLabelText('Why'), 'Ill');
  server.refusals = [refusal(Code.InvalidArgument, 'PRACTITIONER_NOT_FOUND')];
  await person.click(dialog.getByRole('button', { name: BUTTON }));
  await dialog.findByText('That person does not give this session');
  await person.click(dialog.getByRole('radio', { name: 'Meera Joshi' }));
  await dialog.findByRole('radio', { name: 'Thu 26 Nov' });
  await waitFor(() => expect(dialog.queryByLabelText('Why')).toBeNull());
});

test('a practitioner keeps an own session', async () => {
  const { dialog } = await open(StaffRole.PRACTITIONER);
  expect(dialog.queryByRole('radio', { name: 'Ravi Menon' })).toBeNull();
});

test('sessions of a package stay with their practitioner', async () => {
  const [one, two] = [START, new Date(START.getTime() + 86_400_000)].map(
    (start) => staffBooking(7, start).booking?.sessions[0],
  );
  server.bookings = [staffBooking(7, START, { sessions: [one, two] } as never)];
  const { dialog } = await open(StaffRole.OWNER);
  expect(dialog.queryByRole('radio', { name: 'Ravi Menon' })).toBeNull();
});
