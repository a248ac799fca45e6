/** Refunds that need a person: what is shown of them to whom, and their acts on a booking and a task. */
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { DeskWay } from '@/gen/common/v1/money_pb';
import {
  type UnexplainedOrder,
  UnexplainedOrderSchema,
} from '@/gen/payments/v1/payments_staff_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { DeskServer, deskBookingId, staffBooking } from '@/testing/desk-server';
import { rupees } from '@/testing/receipt-fixture';
import { renderApp } from '@/testing/render-app';
import { MemberContext } from '../member';
import { openRefunds } from '../model/open-refunds';
import { tasksOf } from '../model/tasks';
import { BookingScreen } from './booking-screen';
import { TasksScreen } from './tasks-screen';

vi.mock('@/lib/auth', () => ({ signOut: () => undefined }));

const ID = deskBookingId(7);
const TODAY = new Date(Date.now() - 3_600_000);
const SOON = new Date(Date.now() + 3 * 86_400_000);

function order(reason: string, paise: bigint, bookingId = ID): UnexplainedOrder {
  return create(UnexplainedOrderSchema, {
    ...{ reason, bookingId, subject: `pay_${paise}`, amount: rupees(paise) },
    ...{ explanation: 'It needs a person.', sinceAt: timestampFromDate(TODAY) },
  });
}

let server: DeskServer;

beforeEach(() => {
  server = new DeskServer();
  const changes = { paymentState: PaymentState.REFUNDING, paidAtDesk: DeskWay.UPI };
  server.bookings = [staffBooking(7, SOON, changes as never)];
});

function open(shown: ReactNode, role = StaffRole.OWNER) {
  renderApp(
    <MemberContext value={{ userId: 'own', role }}>
      <main>{shown}</main>
      <Toaster />
    </MemberContext>,
    { path: `/desk/bookings/${ID}`, transport: server.transport() },
  );
  return userEvent.setup();
}

const booking = <BookingScreen params={{ id: ID }} />;

test('what was given back at the desk is recorded once, with client and sum before it', async () => {
  server.orders = [order('OWED_AT_DESK', 40_000n), order('OWED_AT_DESK', 9_950n)];
  server.lost = 1;
  const person = open(booking);
  await person.click(await screen.findByRole('button', { name: '₹499.50 was given back…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Given back to Asha Rao at the desk' });
  within(dialog).getByText(/₹499.50 is owed to/);
  await person.type(within(dialog).getByLabelText(/The bank's reference/), ' UTR-77 ');
  await expectAccessible();
  await person.click(
    within(dialog).getByRole('button', { name: 'Record ₹499.50 given back by UPI' }),
  );
  await screen.findByText('₹499.50 to Asha Rao is recorded as given back');
  expect(server.givenBack).toHaveLength(1);
  expect(server.givenBack[0]).toMatchObject({ way: DeskWay.UPI, reference: 'UTR-77' });
  expect(server.givenBack[0]?.amount?.minorUnits).toBe(49_950n);
  await waitFor(() => expect(screen.queryByRole('button', { name: /given back…/ })).toBeNull());
});

test('cash has no reference, also where one was typed before', async () => {
  server.orders = [order('OWED_AT_DESK', 50_000n)];
  const person = open(booking);
  await person.click(await screen.findByRole('button', { name: '₹500 was given back…' }));
  const dialog = await screen.findByRole('dialog');
  await person.type(within(dialog).getByLabelText(/The bank's reference/), 'UTR-77');
  await person.click(within(dialog).getByRole('radio', { name: 'In cash' }));
  await person.click(
    within(dialog).getByRole('button', { name: 'Record ₹500 given back in cash' }),
  );
  await waitFor(() => expect(server.givenBack).toHaveLength(1));
  expect(server.givenBack[0]).toMatchObject({ way: DeskWay.CASH, reference: '' });
});

test('a waiting refund is let go, and what the bank has taken is told', async () => {
  server.orders = [order('REFUND_HELD', 150_000n)];
  server.deducted = 50_000n;
  const person = open(booking);
  await person.click(await screen.findByRole('button', { name: 'Let ₹1,500 go back…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Let the refund go to Asha Rao' });
  within(dialog).getByText(/₹1,500 waits, because the bank of/);
  await expectAccessible();
  await person.click(within(dialog).getByRole('button', { name: 'Let ₹1,500 go back' }));
  await screen.findByText('₹1,000 goes back to Asha Rao');
  screen.getByText('₹500 waits on: the bank has taken that part.');
  expect(server.released).toEqual([ID]);
});

test('a refusal is told in a sentence, and what is true is read again', async () => {
  server.orders = [order('REFUND_HELD', 50_000n)];
  server.deducted = 50_000n;
  const person = open(booking);
  await person.click(await screen.findByRole('button', { name: 'Let ₹500 go back…' }));
  await person.click(await screen.findByRole('button', { name: 'Let ₹500 go back' }));
  await screen.findByText('The bank has taken this money');
  server.orders = [];
  await person.click(screen.getByRole('button', { name: 'Let ₹500 go back' }));
  await screen.findByText('No refund waits any more');
  await screen.findByText('Nothing of it waits any more.');
});

test.each([StaffRole.FRONT_DESK, StaffRole.PRACTITIONER])(
  'another role (%i) is offered none of it',
  async (role) => {
    server.orders = [order('OWED_AT_DESK', 50_000n)];
    open(booking, role);
    await screen.findByRole('heading', { level: 2, name: 'Money' });
    expect(screen.queryByRole('button', { name: /given back…/ })).toBeNull();
  },
);

test('on the tasks it is one for each booking, of today as well, with the same second step', async () => {
  server.orders = [order('OWED_AT_DESK', 40_000n), order('OWED_AT_DESK', 10_000n)];
  const person = open(<TasksScreen />);
  await screen.findByRole('heading', { name: '₹500 is to be given back at the desk' });
  await person.click(await screen.findByRole('button', { name: '₹500 was given back…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Given back to Asha Rao at the desk' });
  await expectAccessible();
  await person.click(
    await within(dialog).findByRole('button', { name: 'Record ₹500 given back by UPI' }),
  );
  await screen.findByText('Nothing needs you.');
  expect(server.givenBack).toHaveLength(1);
});

test('a waiting refund can be explained on the tasks, what is owed cannot', async () => {
  server.orders = [order('REFUND_HELD', 50_000n), order('OWED_AT_DESK', 20_000n)];
  open(<TasksScreen />);
  await screen.findByRole('button', { name: 'Let ₹500 go back…' });
  await screen.findByRole('button', { name: '₹200 was given back…' });
  expect(screen.getAllByRole('button', { name: 'Explain…' })).toHaveLength(1);
});

test('only refunds that need a person are told before a day has passed', () => {
  const other = deskBookingId(8);
  const orders = [
    order('REFUND_HELD', 1_000n),
    order('REFUND_HELD', 500n, other),
    order('REFUND_FAILED', 700n),
    order('OWED_AT_DESK', 200n),
  ];
  expect(openRefunds(orders).map(({ kind, amount }) => [kind, amount.minorUnits])).toEqual([
    ['disputed', 1_000n],
    ['disputed', 500n],
    ['at-desk', 200n],
  ]);
  const kinds = (now: number) => tasksOf({ orders }, now).map(({ kind }) => kind);
  expect(kinds(Date.now())).toEqual(['refund', 'refund', 'refund']);
  expect(kinds(Date.now() + 86_400_000)).toEqual(['refund', 'refund', 'refund', 'money']);
});
