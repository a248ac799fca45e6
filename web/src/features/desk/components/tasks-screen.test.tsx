/** The tasks of the desk: their order, their acts, and parts that cannot be read. */
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { CalendarSourceSchema } from '@/gen/booking/v1/booking_calendar_service_pb';
import { BookingState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { WithdrawnConsentSchema } from '@/gen/booking/v1/consent_service_pb';
import { ParkedEventSchema } from '@/gen/common/v1/parked_event_pb';
import { MailKind } from '@/gen/notifications/v1/notifications_events_pb';
import {
  DeliverySchema,
  DeliveryState,
} from '@/gen/notifications/v1/notifications_staff_service_pb';
import { UnexplainedOrderSchema } from '@/gen/payments/v1/payments_staff_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { at } from '@/testing/booking-fixture';
import { DeskServer, deskBookingId, staffBooking } from '@/testing/desk-server';
import { rupees } from '@/testing/receipt-fixture';
import { renderApp } from '@/testing/render-app';
import { MemberContext } from '../member';
import { tasksOf } from '../model/tasks';
import { TaskBadge } from './task-badge';
import { TasksScreen } from './tasks-screen';

vi.mock('@/lib/auth', () => ({ signOut: () => undefined }));

/** Long enough ago that it does not explain itself any more. */
const SINCE = timestampFromDate(new Date(Date.now() - 5 * 86_400_000));
const START = new Date('2026-11-24T05:30:00Z');
const CLAIMED = { state: BookingState.AWAITING_PAYMENT, paymentState: PaymentState.CLAIMED };

let server: DeskServer;

function fill(): void {
  server.bookings = [staffBooking(1, START, CLAIMED), staffBooking(2, START)];
  server.orders = [
    create(UnexplainedOrderSchema, {
      ...{ reason: 'REFUND_FAILED', subject: 'rfnd_1', explanation: 'The refund failed.' },
      ...{ amount: rupees(50_000n), sinceAt: SINCE },
    }),
    create(UnexplainedOrderSchema, {
      ...{ reason: 'DISPUTE_OPEN', subject: 'disp_1', explanation: 'The bank asks.' },
      ...{ sinceAt: SINCE, respondByAt: at('2026-11-28T05:00:00Z') },
    }),
  ];
  server.mails = [
    create(DeliverySchema, {
      ...{ mailId: 'mal_9', kind: MailKind.REMINDER, state: DeliveryState.FAILED },
      ...{ bookingId: deskBookingId(2), reason: 'smtp_550', queuedAt: SINCE },
    }),
  ];
  server.consents = [
    create(WithdrawnConsentSchema, {
      booking: staffBooking(3, START).booking,
      withdrawnAt: SINCE,
    } as never),
  ];
  server.sources = [
    create(CalendarSourceSchema, {
      ...{ calendarId: 'google', practitionerName: 'Meera Joshi', problem: 'no_answer' },
      failingSinceAt: SINCE,
    }),
    create(CalendarSourceSchema, { calendarId: 'fine' }),
  ];
  server.parked = [
    create(ParkedEventSchema, { streamId: 'booking-1', error: 'odd', parkedAt: SINCE }),
  ];
}

beforeEach(() => {
  server = new DeskServer();
});

function open(role = StaffRole.OWNER) {
  renderApp(
    <MemberContext value={{ userId: 'own', role }}>
      <main>
        <TasksScreen />
      </main>
      <output>
        <TaskBadge />
      </output>
      <Toaster />
    </MemberContext>,
    { path: '/desk/tasks', transport: server.transport() },
  );
  return userEvent.setup();
}

const titles = () => screen.getAllByRole('heading', { level: 2 }).map((it) => it.textContent);

test('what has a day comes first, then claims, money, clients, and the machine last', async () => {
  fill();
  open();
  await screen.findByText(/cannot be read$/);
  await waitFor(() => expect(titles()).toHaveLength(7));
  expect(titles()).toEqual([
    'Money that nothing explains',
    'Asha Rao says that it is paid',
    'Money that nothing explains: ₹500',
    'Asha Rao has withdrawn the consent',
    'Reminder: the mail failed',
    'The calendar of Meera Joshi cannot be read',
    'An event was not taken in by booking',
  ]);
  screen.getByText('Answer by Sat, 28 Nov, 10:30 am');
  screen.getByText('7');
  await expectAccessible();
});

test('each act is done and leaves the list', async () => {
  fill();
  const person = open();
  const card = async (title: string) =>
    within((await screen.findByText(title)).closest('article') ?? document.body);
  await (await card('Reminder: the mail failed')).findByRole('link', { name: 'Call Asha' });
  await person.click(
    (await card('Reminder: the mail failed')).getByRole('button', { name: 'Dealt with' }),
  );
  await screen.findByText('Noted as dealt with');
  const money = await card('Money that nothing explains: ₹500');
  await person.click(money.getByRole('button', { name: 'Explain…' }));
  await person.type(money.getByLabelText('Why it is right as it is'), 'Paid back in cash');
  await person.click(money.getByRole('button', { name: 'It is explained' }));
  await screen.findByText('Noted as explained');
  await person.click(await screen.findByRole('button', { name: 'Read it now' }));
  await person.click(
    (await card('An event was not taken in by booking')).getByRole('button', { name: 'Try again' }),
  );
  await screen.findByText('It was tried again');
  expect(server.tasksDone).toEqual([
    'settle mal_9',
    'explain rfnd_1: Paid back in cash',
    'read google',
    'retry booking-1',
  ]);
  await waitFor(() => expect(titles()).toHaveLength(2));
});

test('a part that cannot be read says so, and the others are there', async () => {
  fill();
  server.mailsDown = true;
  open();
  await screen.findByText('Mails cannot be read right now');
  await screen.findByRole('heading', { name: 'Asha Rao says that it is paid' });
});

test('the front desk has claims and consents, and nothing of money, mails and calendars', async () => {
  fill();
  open(StaffRole.FRONT_DESK);
  await screen.findByRole('heading', { name: 'Asha Rao has withdrawn the consent' });
  await waitFor(() => expect(titles()).toHaveLength(2));
});

test('without tasks it says so', async () => {
  open();
  await screen.findByText('Nothing needs you.');
  expect(tasksOf({}, Date.now())).toEqual([]);
  await expectAccessible();
});
