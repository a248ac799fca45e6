/** What is done about a task where a call does it; the rest is done on the booking's screen. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useQueryClient } from '@tanstack/react-query';
import { toast } from '@/components/ui/toast-store';
import { BookingCalendarStaffService } from '@/gen/booking/v1/booking_calendar_service_pb';
import type { UnexplainedOrder } from '@/gen/payments/v1/payments_staff_service_pb';
import { useMember } from '../member';
import type { ParkedService } from '../model/tasks';
import { TASKS } from './desk-keys';
import { useCommand } from './use-command';
import { CALL, useBookingStaff } from './use-desk-clients';
import { useMailsStaff, usePaymentsStaff } from './use-staff-services';

export type TaskWish =
  | { act: 'retry-mail' | 'settle-mail'; mailId: string }
  | { act: 'read-calendar'; calendarId: string }
  | { act: 'retry-event'; service: ParkedService; streamId: string }
  | { act: 'explain'; order: UnexplainedOrder; explanation: string };

const DONE: Record<TaskWish['act'], string> = {
  'retry-mail': 'The mail is tried again',
  'settle-mail': 'Noted as dealt with',
  'read-calendar': 'The calendar is read within a moment',
  'retry-event': 'It was tried again',
  explain: 'Noted as explained',
};

function nameOf(wish: TaskWish): string[] {
  if ('mailId' in wish) return [wish.act, wish.mailId];
  if ('calendarId' in wish) return [wish.act, wish.calendarId];
  if ('streamId' in wish) return [wish.act, wish.service, wish.streamId];
  return [wish.act, wish.order.reason, wish.order.subject];
}

export function useTaskAct(onDone?: () => void) {
  const transport = useTransport();
  const payments = usePaymentsStaff();
  const mails = useMailsStaff();
  const booking = useBookingStaff();
  const { userId } = useMember();
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: [TASKS, userId] });
  const parked = { booking, payments, notifications: mails };

  function send(wish: TaskWish): Promise<unknown> {
    switch (wish.act) {
      case 'retry-mail':
        return mails.retryMail({ mailId: wish.mailId }, CALL);
      case 'settle-mail':
        return mails.settleMail({ mailId: wish.mailId }, CALL);
      case 'read-calendar': {
        const calendars = createClient(BookingCalendarStaffService, transport);
        return calendars.readCalendarSource({ calendarId: wish.calendarId }, CALL);
      }
      case 'retry-event':
        return parked[wish.service].retryParkedEvents({ streamId: wish.streamId }, CALL);
      default: {
        const { reason, subject } = wish.order;
        return payments.explainOrder({ reason, subject, explanation: wish.explanation }, CALL);
      }
    }
  }

  return useCommand(
    (wish: TaskWish) => ({
      name: nameOf(wish).join('/'),
      parts: [wish.act === 'explain' ? wish.explanation : ''],
      send: () => send(wish),
    }),
    (_, { act }) => {
      toast({ title: DONE[act] });
      onDone?.();
      void refresh();
    },
    () => void refresh(),
  );
}
