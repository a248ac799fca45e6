import { expect, test } from 'vitest';
import {
  type CheckResult,
  countdownText,
  endMessage,
  runWindow,
  secondsLeft,
  type WindowKind,
  windowSeconds,
} from './verification-schedule';

/** Runs a window on a clock that only pauses move. */
async function run(kind: WindowKind, results: CheckResult[]) {
  let clock = 0;
  const asked: number[] = [];
  const end = await runWindow({
    kind,
    deadline: windowSeconds(kind) * 1000,
    signal: new AbortController().signal,
    now: () => clock,
    pause: async (ms) => {
      clock += ms;
    },
    check: async () => {
      asked.push(clock / 1000);
      return results[asked.length - 1] ?? results.at(-1) ?? 'unpaid';
    },
  });
  return { end, asked, endedAt: clock / 1000 };
}

test('unpaid answers are asked again after 10 seconds, four times in 40', async () => {
  const { end, asked, endedAt } = await run('first', ['unpaid']);
  expect(asked).toEqual([0, 10, 20, 30]);
  expect(endedAt).toBe(40);
  expect(endMessage('first', end)).toBe('Payment verification timeout after 40 seconds.');
});

test('errors are asked again after 15 seconds, and say so in the end', async () => {
  const { end, asked, endedAt } = await run('first', ['error']);
  expect(asked).toEqual([0, 15, 30]);
  expect(endedAt).toBe(40);
  expect(endMessage('first', end)).toBe('Unable to verify payment. Please contact support.');
});

test('both delays are kept in a mixed window', async () => {
  const { asked, end } = await run('first', ['unpaid', 'error', 'unpaid']);
  expect(asked).toEqual([0, 10, 25, 35]);
  expect(end).toBe('timeout');
});

test('money ends the window at once', async () => {
  expect(await run('first', ['unpaid', 'paid'])).toMatchObject({ end: 'paid', asked: [0, 10] });
  expect(await run('first', ['returned'])).toMatchObject({ end: 'returned', asked: [0] });
});

test('the retry window lasts 300 seconds', async () => {
  const { asked, endedAt, end } = await run('retry', ['error', 'error', 'error', 'unpaid']);
  expect(endedAt).toBe(300);
  expect(asked.at(-1)).toBe(295);
  expect(endMessage('retry', end)).toBe(
    'Payment verification timeout. Please try again or contact support.',
  );
  const full = await run('retry', ['unpaid']);
  expect(full.asked).toHaveLength(30);
  expect(endMessage('retry', full.end)).toBe(
    'Payment verification timeout or max retries exceeded',
  );
});

test('a window that is stopped says nothing', async () => {
  const stop = new AbortController();
  const end = await runWindow({
    kind: 'first',
    deadline: Date.now() + 40_000,
    signal: stop.signal,
    check: async () => {
      stop.abort();
      return 'unpaid';
    },
  });
  expect(end).toBe('stopped');
});

test('the countdown reads in minutes and whole seconds', () => {
  expect(countdownText(40)).toBe('0:40');
  expect(countdownText(300)).toBe('5:00');
  expect(secondsLeft(10_000, 100)).toBe(10);
  expect(secondsLeft(10_000, 20_000)).toBe(0);
});
