/** What needs a person, in the order in which it should be done. */

import type { CalendarSource } from '@/gen/booking/v1/booking_calendar_service_pb';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { StaffBooking } from '@/gen/booking/v1/booking_staff_service_pb';
import type { WithdrawnConsent } from '@/gen/booking/v1/consent_service_pb';
import type { ParkedEvent } from '@/gen/common/v1/parked_event_pb';
import type { Delivery } from '@/gen/notifications/v1/notifications_staff_service_pb';
import type { UnexplainedOrder } from '@/gen/payments/v1/payments_staff_service_pb';
import type { RefundRequest } from '@/gen/payments/v1/refund_request_service_pb';
import { localDate, toDate } from '@/lib/time';
import { isOpenRefund, type OpenRefund, openRefunds } from './open-refunds';
import { isClaimed } from './staff-booking';

type Common = {
  key: string;
  /** Lower comes first. */
  urgency: number;
  /** Since when it waits, or until when it has to be done. */
  at: Date | undefined;
};

export type Task = Common &
  (
    | { kind: 'claim'; staff: StaffBooking; booking: Booking }
    | { kind: 'request'; request: RefundRequest }
    | { kind: 'refund'; refund: OpenRefund }
    | { kind: 'money'; order: UnexplainedOrder }
    | { kind: 'consent'; booking: Booking }
    | { kind: 'mail'; mail: Delivery }
    | { kind: 'calendar'; source: CalendarSource }
    | { kind: 'parked'; service: ParkedService; event: ParkedEvent }
  );

export type ParkedService = 'booking' | 'payments' | 'notifications';

/** What could be read; a part that is not there is not counted. */
export type TaskParts = {
  bookings?: readonly StaffBooking[] | undefined;
  /** Also those of today: refunds that need a person are tasks at once. */
  orders?: readonly UnexplainedOrder[] | undefined;
  requests?: readonly RefundRequest[] | undefined;
  consents?: readonly WithdrawnConsent[] | undefined;
  mails?: readonly Delivery[] | undefined;
  sources?: readonly CalendarSource[] | undefined;
  parked?: readonly { service: ParkedService; event: ParkedEvent }[] | undefined;
};

/** A day by which a person has to act comes first, then money, then clients, then the machine. */
const URGENCY = {
  ...{ due: 0, claim: 1, refund: 2, money: 3, consent: 4, mail: 5, calendar: 6, parked: 7 },
};

/** What is younger may explain itself. */
const YOUNG_MS = 86_400_000;

type At = Parameters<typeof toDate>[0] | undefined;

function date(at: At): Date | undefined {
  return at && toDate(at);
}

function moneyTask(order: UnexplainedOrder): Task {
  const { reason, subject, respondByAt, sinceAt } = order;
  const urgency = respondByAt ? URGENCY.due : URGENCY.money;
  const at = date(respondByAt ?? sinceAt);
  return { kind: 'money', key: `money/${reason}/${subject}`, urgency, at, order };
}

/** Refunds that need a person, and of the rest what is a day old. */
function moneyTasks(orders: readonly UnexplainedOrder[], now: number): Task[] {
  const refunds = openRefunds(orders).map((refund): Task => {
    const { kind, bookingId, amount } = refund;
    const key = `refund/${kind}/${bookingId}/${amount.currencyCode}`;
    const at = date(refund.orders[0]?.sinceAt);
    return { kind: 'refund', key, urgency: URGENCY.refund, at, refund };
  });
  const isOld = ({ sinceAt }: UnexplainedOrder) =>
    !sinceAt || toDate(sinceAt).getTime() <= now - YOUNG_MS;
  const others = orders.filter((order) => !isOpenRefund(order) && isOld(order));
  return [...refunds, ...others.map(moneyTask)];
}

function bookingTasks({ bookings = [], consents = [] }: TaskParts): Task[] {
  const claims = bookings.flatMap((staff): Task[] => {
    const { booking } = staff;
    if (!booking || !isClaimed(booking)) return [];
    const at = date(booking.sessions[0]?.startsAt);
    const key = `claim/${booking.bookingId}`;
    return [{ kind: 'claim', key, urgency: URGENCY.claim, at, staff, booking }];
  });
  const withdrawn = consents.flatMap(({ booking, withdrawnAt }): Task[] => {
    if (!booking) return [];
    const key = `consent/${booking.bookingId}`;
    return [{ kind: 'consent', key, urgency: URGENCY.consent, at: date(withdrawnAt), booking }];
  });
  return [...claims, ...withdrawn];
}

/** What clients ask back, each with the moment until which it is to be answered. */
function requestTasks(requests: readonly RefundRequest[]): Task[] {
  return requests.map((request) => {
    const { requestId, answerByAt } = request;
    const key = `request/${requestId}`;
    return { kind: 'request', key, urgency: URGENCY.due, at: date(answerByAt), request };
  });
}

export function tasksOf(parts: TaskParts, now: number): Task[] {
  const { orders = [], requests = [], mails = [], sources = [], parked = [] } = parts;
  const tasks: Task[] = [
    ...bookingTasks(parts),
    ...requestTasks(requests),
    ...moneyTasks(orders, now),
    ...mails.map((mail): Task => {
      const at = date(mail.queuedAt);
      return { kind: 'mail', key: `mail/${mail.mailId}`, urgency: URGENCY.mail, at, mail };
    }),
    ...sources.flatMap((source): Task[] => {
      if (!source.failingSinceAt) return [];
      const at = date(source.failingSinceAt);
      const key = `calendar/${source.calendarId}`;
      return [{ kind: 'calendar', key, urgency: URGENCY.calendar, at, source }];
    }),
    ...parked.map(({ service, event }): Task => {
      const key = `parked/${service}/${event.consumer}/${event.position}`;
      const at = date(event.parkedAt);
      return { kind: 'parked', key, urgency: URGENCY.parked, at, service, event };
    }),
  ];
  const since = ({ at }: Task) => at?.getTime() ?? 0;
  return tasks.sort((one, other) => one.urgency - other.urgency || since(one) - since(other));
}

/** Whether it is for today: a request of a client may be answered on a later day. */
export function isForToday({ kind, at }: Task, now: number, timeZone: string): boolean {
  if (kind !== 'request' || !at) return true;
  return localDate(at, timeZone) <= localDate(new Date(now), timeZone);
}
