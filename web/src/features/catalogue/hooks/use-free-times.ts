/** The free starts of a week; reading them holds no time. */
import { useTransport } from '@connectrpc/connect-query';
import { useQuery } from '@tanstack/react-query';
import type { ListSlotsResponse } from '@/gen/booking/v1/booking_service_pb';
import { connectGetKey } from '@/lib/connect-get';
import { BOOKING, readSlots } from '@/lib/read-slots';
import { localHour, toDate } from '@/lib/time';

export const DAYS_SHOWN = 7;

/** Other customers book too, so a list on an open page is read again. */
const REFRESH_MS = 5 * 60_000;
const NOON = 12;
const EVENING = 17;

export type FreeTime = { startsAt: Date };
export type DayPart = { name: 'Morning' | 'Afternoon' | 'Evening'; times: FreeTime[] };
export type FreeDay = { date: string; closed: boolean; count: number; parts: DayPart[] };

function dayPart(hour: number): DayPart['name'] {
  if (hour < NOON) return 'Morning';
  return hour < EVENING ? 'Afternoon' : 'Evening';
}

/** The days of an answer with only what can still be chosen. */
export function freeDays(answer: ListSlotsResponse): FreeDay[] {
  return answer.days.map(({ date, closed, slots }) => {
    const parts: DayPart[] = [];
    let count = 0;
    for (const slot of slots) {
      if (!slot.available || !slot.startsAt) continue;
      const startsAt = toDate(slot.startsAt);
      const name = dayPart(localHour(startsAt, answer.timeZone));
      const part = parts.find((one) => one.name === name);
      if (part) part.times.push({ startsAt });
      else parts.push({ name, times: [{ startsAt }] });
      count += 1;
    }
    return { date, closed, count, parts };
  });
}

/** Whose times: of a service, with one practitioner or with anyone. */
export type Whose = { serviceId: string; practitionerId?: string };

/** `fromDate` is empty for the week that begins today. */
export function useFreeTimes(whose: Whose, fromDate: string) {
  const transport = useTransport();
  const input = { ...whose, fromDate, days: DAYS_SHOWN };
  return useQuery({
    queryKey: connectGetKey(BOOKING, 'ListSlots', input),
    queryFn: ({ signal }) => readSlots(input, { transport, signal }),
    refetchInterval: REFRESH_MS,
    refetchOnWindowFocus: true,
  });
}
