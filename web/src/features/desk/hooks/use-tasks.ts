/** What needs a person, read part by part: one that fails says so, and the others are there. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { type UseQueryOptions, useQueries } from '@tanstack/react-query';
import { BookingCalendarStaffService } from '@/gen/booking/v1/booking_calendar_service_pb';
import { BookingState } from '@/gen/booking/v1/booking_service_pb';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { ConsentStaffService } from '@/gen/booking/v1/consent_service_pb';
import type { ParkedEvent } from '@/gen/common/v1/parked_event_pb';
import { DeliveryState } from '@/gen/notifications/v1/notifications_staff_service_pb';
import { serverNow } from '@/lib/clock';
import { useMember } from '../member';
import { isManager } from '../model/acts';
import { type ParkedService, type TaskParts, tasksOf } from '../model/tasks';
import { LESS_LIVE, TASKS } from './desk-keys';
import { useBookingStaff } from './use-desk-clients';
import { useMailsStaff, usePaymentsStaff, useRefundRequestStaff } from './use-staff-services';

/** How far ahead claims are looked for. */
const DAYS = 92;

type Parking = {
  listParkedEvents: (
    asked: object,
    options: { signal: AbortSignal },
  ) => Promise<{ events: ParkedEvent[] }>;
};

/** One kind of task: what it is called where it cannot be read, and how it is read. */
type Part = { what: string; read: (signal: AbortSignal) => Promise<TaskParts> };

/** The parts that this member may read. */
function useParts(role: StaffRole): Part[] {
  const transport = useTransport();
  const booking = useBookingStaff();
  const payments = usePaymentsStaff();
  const mails = useMailsStaff();
  const refundRequests = useRefundRequestStaff();
  const states = [BookingState.HELD, BookingState.AWAITING_PAYMENT];
  const all: Part[] = [
    {
      what: 'Claims',
      read: (signal) => booking.listBookings({ days: DAYS, states }, { signal }),
    },
    {
      what: 'Withdrawn consents',
      read: async (signal) => {
        const staff = createClient(ConsentStaffService, transport);
        return { consents: (await staff.listWithdrawnConsents({}, { signal })).bookings };
      },
    },
  ];
  const calendars: Part = {
    what: 'Own calendars',
    read: (signal) =>
      createClient(BookingCalendarStaffService, transport).listCalendarSources({}, { signal }),
  };
  const parked = (service: ParkedService, client: Parking): Part => ({
    what: `Events of ${service}`,
    read: async (signal) => {
      const { events } = await client.listParkedEvents({}, { signal });
      return { parked: events.map((event) => ({ service, event })) };
    },
  });
  const managed: Part[] = [
    {
      what: 'Money',
      read: (signal) => payments.listUnexplainedOrders({ includeYoung: true }, { signal }),
    },
    {
      what: 'Refund requests',
      read: (signal) => refundRequests.listRefundRequests({}, { signal }),
    },
    {
      what: 'Mails',
      read: (signal) => mails.listMails({ state: DeliveryState.FAILED }, { signal }),
    },
    parked('booking', booking),
    parked('payments', payments),
    parked('notifications', mails),
  ];
  const own = role === StaffRole.FRONT_DESK ? [] : [calendars];
  return [...all, ...own, ...(isManager(role) ? managed : [])];
}

export type Tasks = {
  tasks: ReturnType<typeof tasksOf>;
  /** The parts that could not be read, with why. */
  failed: { what: string; error: unknown; readAt: number; retry: () => void }[];
  /** All parts were read once, or failed. */
  isRead: boolean;
};

export function useTasks(): Tasks {
  const { userId, role } = useMember();
  const parts = useParts(role);
  const queries = parts.map(
    ({ what, read }): UseQueryOptions<TaskParts> => ({
      ...LESS_LIVE,
      queryKey: [TASKS, userId, what],
      queryFn: ({ signal }) => read(signal),
    }),
  );
  const results = useQueries({ queries });
  const read: TaskParts = {};
  for (const { data } of results) {
    if (!data) continue;
    const { parked } = data;
    Object.assign(read, data, parked && { parked: [...(read.parked ?? []), ...parked] });
  }
  return {
    tasks: tasksOf(read, serverNow()),
    failed: results.flatMap(({ error, dataUpdatedAt, refetch }, index) =>
      error
        ? [
            {
              what: parts[index]?.what ?? '',
              error,
              readAt: dataUpdatedAt,
              retry: () => void refetch(),
            },
          ]
        : [],
    ),
    isRead: results.every(({ data, error }) => data !== undefined || error !== null),
  };
}
