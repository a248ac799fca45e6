import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { CancellationPolicySchema, GraceSchema } from '@/gen/common/v1/cancellation_pb';
import { at, bookingFixture } from '@/testing/booking-fixture';
import {
  graceLine,
  hasSteps,
  isLate,
  noticeHours,
  openSteps,
  stepLines,
  tierLines,
} from './cancellation';

const START = new Date('2026-11-24T05:30:00Z');
const LIMIT = Date.parse('2026-11-23T05:30:00Z');
const ZONE = { timeZone: 'Asia/Kolkata', label: 'IST' };

function policy(...tiers: [untilHours: number, refundPercent: number][]) {
  return create(CancellationPolicySchema, {
    tiers: tiers.map(([untilHours, refundPercent]) => ({ untilHours, refundPercent })),
  });
}

const USUAL = policy([24, 100], [0, 0]);
const STEPS = create(CancellationPolicySchema, {
  tiers: [
    { untilHours: 24, refundPercent: 100 },
    { untilHours: 12, refundPercent: 50, practiceLate: { sharePercent: 20 } },
    { untilHours: 0, refundPercent: 0, practiceLate: { freeSession: true } },
  ],
});

test('the last moment itself is still in time, as the server has it', () => {
  expect(isLate(START, USUAL, LIMIT)).toBe(false);
  expect(isLate(START, USUAL, LIMIT + 1)).toBe(true);
  expect(isLate(START, policy([0, 100]), START.getTime())).toBe(false);
});

test('a session is late only when no step gives anything back', () => {
  expect(noticeHours(STEPS)).toBe(24);
  expect(isLate(START, STEPS, LIMIT + 1)).toBe(false);
  expect(isLate(START, STEPS, Date.parse('2026-11-23T17:30:00Z') + 1)).toBe(true);
});

test.each([
  [1, 6, 100, 'Once in 6 months you can cancel late and still get 100% back'],
  [2, 1, 50, 'Twice in a month you can cancel late and still get 50% back'],
  [3, 12, 100, '3 times in 12 months you can cancel late and still get 100% back'],
])('grace of %s in %s months is said as "%4$s"', (times, months, refundPercent, words) => {
  const kind = { ...USUAL, grace: create(GraceSchema, { times, months, refundPercent }) };
  expect([graceLine(USUAL), graceLine(kind)]).toEqual(['', words]);
  expect([hasSteps(kind), tierLines(kind).at(-1)]).toEqual([true, words]);
});

test('a policy of all or nothing needs no lines, and one with steps says each', () => {
  expect([hasSteps(USUAL), hasSteps(STEPS)]).toEqual([false, true]);
  expect(tierLines(STEPS)).toEqual([
    'All of the price until 24 hours before it starts',
    '50% of it until 12 hours before it starts (if we cancel then: all of it, and 20% of the price)',
    'Later nothing comes back (if we cancel then: all of it, and a free session)',
  ]);
});

test("the schedule of a booking is the server's", () => {
  const session = bookingFixture().sessions[0];
  if (!session) throw new Error('The booking has no session.');
  expect(stepLines(session, ZONE)).toEqual([
    '₹500 until Monday, 23 November 2026 at 11:00 am IST',
    'then ₹0',
  ]);
  expect(openSteps(session, LIMIT)).toHaveLength(1);
  expect(openSteps(session, LIMIT + 1)).toHaveLength(0);
});

test('nothing comes back of what was cancelled or costs nothing', () => {
  const startsAt = at('2026-11-24T05:30:00Z');
  const [cancelled] = bookingFixture({ sessions: [{ startsAt, cancelled: true }] }).sessions;
  expect(cancelled?.refundSteps).toEqual([]);
});
