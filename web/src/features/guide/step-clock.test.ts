import { expect, test } from 'vitest';
import { beginOf, clockText, momentAt, partOf } from './step-clock';

const STEPS = [{ minutes: 2 }, { minutes: 3 }, { minutes: 1 }];
const MINUTE = 60_000;

test('each moment belongs to one step, and after the last one all are over', () => {
  expect(momentAt(STEPS, 0)).toEqual({ index: 0, leftMs: 2 * MINUTE });
  expect(momentAt(STEPS, 2 * MINUTE - 1)).toEqual({ index: 0, leftMs: 1 });
  expect(momentAt(STEPS, 2 * MINUTE)).toEqual({ index: 1, leftMs: 3 * MINUTE });
  expect(momentAt(STEPS, 6 * MINUTE - 1)).toEqual({ index: 2, leftMs: 1 });
  expect(momentAt(STEPS, 6 * MINUTE)).toEqual({ index: 3, leftMs: 0 });
  expect(momentAt(STEPS, 99 * MINUTE)).toEqual({ index: 3, leftMs: 0 });
  expect(momentAt(STEPS, -5)).toEqual({ index: 0, leftMs: 2 * MINUTE });
  expect(momentAt([], 0)).toEqual({ index: 0, leftMs: 0 });
});

test('a step knows its begin and how much of it is over', () => {
  expect([0, 1, 2, 3].map((index) => beginOf(STEPS, index) / MINUTE)).toEqual([0, 2, 5, 6]);
  expect(partOf(STEPS, 1, MINUTE)).toBe(0);
  expect(partOf(STEPS, 1, 3.5 * MINUTE)).toBe(0.5);
  expect(partOf(STEPS, 1, 9 * MINUTE)).toBe(1);
  expect(partOf(STEPS, 7, MINUTE)).toBe(0);
});

test('what is left is written as minutes and seconds', () => {
  expect([120_000, 119_001, 119_000, 65_000, 1, 0].map(clockText)).toEqual([
    '2:00',
    '2:00',
    '1:59',
    '1:05',
    '0:01',
    '0:00',
  ]);
});
