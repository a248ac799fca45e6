/** The free starts of some days, under the part of the day in which they lie. */
import type { ListSlotsResponse } from '@/gen/booking/v1/booking_service_pb';
import { localHour, toDate } from './time';

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
