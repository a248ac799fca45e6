/** The secret address of a client's own sessions: read, made anew and taken away. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  BookingCalendarService,
  type OwnCalendar,
} from '@/gen/booking/v1/booking_calendar_service_pb';
import { describeError } from '@/lib/errors';
import { useAttemptKey } from '../../shared/hooks/use-attempt-key';

/** What pages know of it; without an address the path is empty. */
export type CalendarAddress = { path: string; details: boolean };

const NONE: CalendarAddress = { path: '', details: false };

function keyOf(userId: string) {
  return ['own-calendar', userId];
}

function addressOf(calendar: OwnCalendar | undefined): CalendarAddress {
  if (!calendar) return NONE;
  const { path, details } = calendar;
  return { path, details };
}

export function useOwnCalendar(userId: string) {
  const transport = useTransport();
  const { data, error, refetch } = useQuery({
    queryKey: keyOf(userId),
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const client = createClient(BookingCalendarService, transport);
      return addressOf((await client.getOwnCalendar({}, { signal })).calendar);
    },
  });
  return { calendar: data, error, refetch: () => void refetch() };
}

/** What an answer brings to the page, and a lost answer: it may have been done, so it is read again. */
function useNews(userId: string) {
  const queries = useQueryClient();
  const queryKey = keyOf(userId);
  return {
    async learn(calendar: CalendarAddress): Promise<void> {
      // A read of before would bring the old address back.
      await queries.cancelQueries({ queryKey });
      queries.setQueryData<CalendarAddress>(queryKey, calendar);
    },
    readAgain: () => void queries.invalidateQueries({ queryKey }),
  };
}

function isUnknown(error: unknown): boolean {
  if (!error) return false;
  const { lost, retryable } = describeError(error);
  return lost || retryable;
}

/** A new address for each press, and the same one where the press is repeated for want of an answer. */
export function useRenewCalendar(userId: string) {
  const client = createClient(BookingCalendarService, useTransport());
  const attempt = useAttemptKey();
  const { learn, readAgain } = useNews(userId);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (details: boolean) => {
      const idempotencyKey = attempt.keyOf(String(details));
      const { calendar } = await client.renewOwnCalendar({ idempotencyKey, details });
      if (!calendar) throw new Error('The answer holds no calendar.');
      return addressOf(calendar);
    },
    onSuccess: (calendar) => {
      attempt.forget();
      return learn(calendar);
    },
    onError: (failure) => {
      if (!isUnknown(failure)) attempt.forget();
      readAgain();
    },
  });
  return { renew: mutate, busy: isPending, error, isLost: isUnknown(error) };
}

export function useStopCalendar(userId: string) {
  const client = createClient(BookingCalendarService, useTransport());
  const { learn, readAgain } = useNews(userId);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.stopOwnCalendar({}),
    onSuccess: () => learn(NONE),
    onError: readAgain,
  });
  return { stop: () => mutate(), busy: isPending, error, isLost: isUnknown(error) };
}
