import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { type SlotDay, SlotDaySchema } from '@/gen/booking/v1/booking_service_pb';
import { CancellationPolicySchema } from '@/gen/common/v1/cancellation_pb';
import { addDays } from './slots';
import { suggestDates } from './suggest-dates';

const HERE = {
  zone: { timeZone: 'Asia/Kolkata', label: 'IST' },
  now: Date.parse('2026-11-22T00:00:00Z'),
};
/** All of the price until a day before the start. */
const DAY = create(CancellationPolicySchema, {
  tiers: [{ untilHours: 24, refundPercent: 100 }],
});
const STARTER = { sessions: 3, withinDays: 60, cancellationPolicy: DAY };
const FIRST = '2026-11-24';

/** An hour in India of a day after the first one. */
function start(day: number, hour: number): string {
  const utc = new Date(`${addDays(FIRST, day)}T00:00:00Z`).getTime() + (hour - 5.5) * 3_600_000;
  return new Date(utc).toISOString().replace('.000Z', 'Z');
}

/** Days with free times at these hours; a day in `taken` has none at eleven. */
function days(count: number, hours: number[], taken: number[] = []): SlotDay[] {
  return Array.from({ length: count }, (_, day) =>
    create(SlotDaySchema, {
      date: addDays(FIRST, day),
      slots: hours.map((hour) => ({
        startsAt: timestampFromDate(new Date(start(day, hour))),
        endsAt: timestampFromDate(new Date(start(day, hour + 1))),
        available: !(hour === 11 && taken.includes(day)),
      })),
    }),
  );
}

test('three are suggested weekly at one hour', () => {
  expect(suggestDates(days(42, [11, 15]), '', STARTER, HERE)).toEqual([
    start(0, 11),
    start(7, 11),
    start(14, 11),
  ]);
  expect(suggestDates(days(42, [11, 15]), start(2, 15), STARTER, HERE)).toEqual([
    start(2, 15),
    start(9, 15),
    start(16, 15),
  ]);
});

test('a start from which all weeks are free is preferred', () => {
  expect(suggestDates(days(42, [11, 15], [7]), '', STARTER, HERE)[0]).toBe(start(0, 15));
});

test('a week in which the hour is not free is moved, and nothing is suggested without enough days', () => {
  expect(suggestDates(days(42, [11], [7]), start(0, 11), STARTER, HERE)).toEqual([
    start(0, 11),
    start(8, 11),
    start(15, 11),
  ]);
  expect(suggestDates(days(10, [11]), '', STARTER, HERE)).toEqual([]);
  expect(suggestDates(days(42, [11]), '', { ...STARTER, withinDays: 7 }, HERE)).toEqual([]);
});

test('a start that could not be cancelled any more is passed over, unless there is no other', () => {
  const now = new Date(start(0, 11)).getTime() - 13 * 3_600_000;
  const here = { ...HERE, now };
  expect(suggestDates(days(42, [11, 15]), '', STARTER, here)[0]).toBe(start(1, 11));
  expect(suggestDates(days(15, [11]), '', STARTER, here)[0]).toBe(start(0, 11));
  // What was chosen stays chosen.
  expect(suggestDates(days(42, [11]), start(0, 11), STARTER, here)[0]).toBe(start(0, 11));
});
