import { expect, test } from 'vitest';
import { practiceFixture } from '@/testing/practice-fixture';
import {
  AT_WELCOME,
  begunAt,
  clockText,
  nextState,
  type QuizAction,
  type QuizState,
  recommendedFor,
  secondsLeft,
  spokenTime,
  untilNextSecond,
} from './quiz-state';

const SELECTION: QuizState = { step: 'selection', begunAt: 500 };
const RESULTS: QuizState = { step: 'results', begunAt: 500, areaId: 'energy' };

function after(...actions: QuizAction[]): QuizState {
  return actions.reduce(nextState, AT_WELCOME);
}

test('welcome, selection, results: one after the other', () => {
  expect(after()).toEqual({ step: 'welcome' });
  expect(after({ kind: 'start', at: 500 })).toEqual(SELECTION);
  expect(after({ kind: 'start', at: 500 }, { kind: 'choose', areaId: 'energy' })).toEqual(RESULTS);
});

test('an action that does not belong to the step changes nothing', () => {
  expect(nextState(AT_WELCOME, { kind: 'choose', areaId: 'energy' })).toBe(AT_WELCOME);
  expect(nextState(SELECTION, { kind: 'start', at: 9000 })).toBe(SELECTION);
  expect(nextState(RESULTS, { kind: 'choose', areaId: 'general' })).toBe(RESULTS);
  expect(nextState(AT_WELCOME, { kind: 'back' })).toBe(AT_WELCOME);
});

test('back goes one step, and the clock goes on until the welcome', () => {
  expect(nextState(RESULTS, { kind: 'back' })).toEqual(SELECTION);
  expect(nextState(SELECTION, { kind: 'back' })).toEqual(AT_WELCOME);
});

test('taking it again clears the area and the clock, and starting sets the clock anew', () => {
  const again = nextState(RESULTS, { kind: 'retake' });
  expect(again).toEqual({ step: 'welcome' });
  expect(begunAt(again)).toBeUndefined();
  expect(nextState(again, { kind: 'start', at: 70_000 })).toEqual({
    step: 'selection',
    begunAt: 70_000,
  });
});

test('the clock stands at 90 before the start, ticks each second and stops at 0', () => {
  expect(secondsLeft(undefined, 123_456)).toBe(90);
  for (const [passed, left] of [
    [0, 90],
    [999, 90],
    [1000, 89],
    [1999, 89],
    [30_000, 60],
    [89_000, 1],
    [89_999, 1],
    [90_000, 0],
    [3_600_000, 0],
    [-5, 90],
  ] as const) {
    expect(secondsLeft(500, 500 + passed), `after ${passed} ms`).toBe(left);
  }
  expect(untilNextSecond(500, 500)).toBe(1000);
  expect(untilNextSecond(500, 1499)).toBe(1);
});

test('the time is written as minutes and seconds, and said in words', () => {
  expect([90, 65, 60, 9, 1, 0].map(clockText)).toEqual([
    '1:30',
    '1:05',
    '1:00',
    '0:09',
    '0:01',
    '0:00',
  ]);
  expect([90, 61, 60, 9, 1, 0].map(spokenTime)).toEqual([
    '1 minute 30 seconds',
    '1 minute 1 second',
    '1 minute',
    '9 seconds',
    '1 second',
    '0 seconds',
  ]);
});

test("the practice's files recommend the agreed services, best first", () => {
  const { quizAreas, services } = practiceFixture();
  const found = quizAreas.map((area) => [
    area.areaId,
    area.title,
    ...recommendedFor(area, services).map(({ serviceId }) => serviceId),
  ]);
  expect(found).toEqual([
    ['vedic-astrology', 'Vedic Astrology & Life Path', 'vedic-astrology', 'general-consultation'],
    [
      'relationship',
      'Relationship & Connection',
      'relationship-counseling',
      'general-consultation',
    ],
    ['energy', 'Energy & Spiritual Healing', 'energy-healing', 'karmic-healing', 'meditation'],
    ['general', 'General Mental Wellness', 'mental-health', 'general-consultation', 'meditation'],
  ]);
});

test('a service that is not offered any more is skipped, and no area recommends nothing', () => {
  const services = [{ serviceId: 'b' }, { serviceId: 'c' }];
  const area = { areaId: 'x', recommendedServiceIds: ['a', 'c', 'b'] };
  expect(recommendedFor(area, services)).toEqual([{ serviceId: 'c' }, { serviceId: 'b' }]);
  expect(recommendedFor(undefined, services)).toEqual([]);
});
