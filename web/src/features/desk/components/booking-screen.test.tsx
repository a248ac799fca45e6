/** One booking at the desk: what each role reads of it, and money that goes back or came at the desk. */
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { BookingState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { DeskWay } from '@/gen/common/v1/money_pb';
import { expectAccessible } from '@/testing/accessible';
import { at } from '@/testing/booking-fixture';
import { DeskServer, deskBookingId, staffBooking } from '@/testing/desk-server';
import { renderApp } from '@/testing/render-app';
import { MemberContext } from '../member';
import { historyLines } from '../model/history';
import { paiseOf, writtenSum } from '../model/rupees';
import { BookingScreen } from './booking-screen';

const SOON = new Date(Date.now() + 3 * 86_400_000);

let server: DeskServer;

beforeEach(() => {
  server = new DeskServer();
  server.bookings = [staffBooking(7, SOON)];
});

function open(role = StaffRole.OWNER) {
  const id = deskBookingId(7);
  renderApp(
    <MemberContext value={{ userId: 'own', role }}>
      <main>
        <BookingScreen params={{ id }} />
      </main>
      <Toaster />
    </MemberContext>,
    { path: `/desk/bookings/${id}`, transport: server.transport() },
  );
  return userEvent.setup();
}

test('an owner reads what, who, money, messages, and the history by true time', async () => {
  open();
  await screen.findByRole('heading', { level: 1, name: 'Asha Rao' });
  await screen.findByText('Confirmation · sent');
  const history = await screen.findByText('Paid · ₹1,500');
  const lines = within(history.closest('ol') ?? document.body).getAllByRole('listitem');
  expect(lines.map(({ lastChild }) => lastChild?.textContent)).toEqual([
    'Booked; the time is held',
    'Paid · ₹1,500',
    'Confirmed',
  ]);
  await screen.findByText('Receipts: SUK/26-27/00001');
  await expectAccessible();
});

test('the front desk reads the booking, and neither mails nor history', async () => {
  open(StaffRole.FRONT_DESK);
  await screen.findByRole('heading', { level: 1, name: 'Asha Rao' });
  expect(screen.queryByRole('heading', { name: 'History' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Give money back…' })).toBeNull();
});

test('mails that cannot be read say so, and the rest is there', async () => {
  server.mailsDown = true;
  open();
  await screen.findByText('Messages cannot be read right now');
  await screen.findByText('Paid · ₹1,500');
});

test('a booking that is not there says so, with a way on', async () => {
  server.bookings = [];
  open();
  await screen.findByRole('heading', { name: 'There is no such booking' });
  screen.getByRole('link', { name: 'To today' });
});

test('money goes back once, and the sum stands on the button', async () => {
  server.lost = 1;
  const person = open();
  await person.click(await screen.findByRole('button', { name: 'Give money back…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Give money back to Asha Rao' });
  const sum = within(dialog).getByLabelText('How much, in rupees');
  await person.clear(sum);
  await person.type(sum, '499.5');
  await expectAccessible();
  await person.click(within(dialog).getByRole('button', { name: 'Give ₹499.50 back' }));
  await screen.findByText('₹499.50 goes back to Asha Rao');
  expect(server.refunds.map(({ amount }) => amount?.minorUnits)).toEqual([49_950n]);
});

test('a held booking by phone is paid at the desk, in cash or by UPI', async () => {
  server.bookings = [
    staffBooking(7, SOON, {
      state: BookingState.HELD,
      paymentState: PaymentState.PENDING,
      paid: undefined,
    } as never),
  ];
  const person = open(StaffRole.FRONT_DESK);
  await person.click(await screen.findByRole('button', { name: /^What to do… with/ }));
  await person.click(screen.getByRole('button', { name: 'Paid at the desk…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Asha Rao paid at the desk' });
  await person.click(within(dialog).getByRole('radio', { name: 'By UPI' }));
  await person.type(within(dialog).getByLabelText(/The bank's reference/), 'UTR-77');
  await person.click(within(dialog).getByRole('button', { name: 'Record ₹1,500 by UPI' }));
  await waitFor(() => expect(server.payments).toHaveLength(1));
  expect(server.payments[0]).toMatchObject({ way: DeskWay.UPI, reference: 'UTR-77' });
});

test('sums are read as people write them, and no other', () => {
  expect(['1500', '₹1,500', '499.5', '0.05'].map(paiseOf)).toEqual([
    150_000n,
    150_000n,
    49_950n,
    5n,
  ]);
  expect(['1,00,000', '₹ 10,00,000.50', '100,000'].map(paiseOf)).toEqual([
    10_000_000n,
    100_000_050n,
    10_000_000n,
  ]);
  expect(['', '0', '1.234', '-5', '1e3', 'ten'].map(paiseOf)).toEqual(Array(6).fill(undefined));
  // The comma of other countries, before what would be paise here.
  expect(['12,50', '1500,5', '1,5', ',500'].map(paiseOf)).toEqual(Array(4).fill(undefined));
  expect([150_000n, 49_950n, 5n].map(writtenSum)).toEqual(['1500', '499.50', '0.05']);
});

test('an event without words of its own is read by its name', () => {
  const entry = { event: 'PaymentLinkAbsent', recordedAt: at('2026-11-20T05:00:00Z') };
  const [line] = historyLines([{ ...entry, detail: 'GONE_THERE' } as never], []);
  expect(line?.words).toBe('Payment link absent · gone there');
});

vi.mock('@/lib/auth', () => ({ signOut: () => undefined }));
