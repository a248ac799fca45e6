/** A command on a bad network: asked again under its key, done once, and never guessed. */
import { Code, ConnectError } from '@connectrpc/connect';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { refusal } from '@/testing/refusal';
import { NotSure, sendSurely } from './command';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LOST = new ConnectError('no answer', Code.Unavailable);

async function run(failures: readonly unknown[]) {
  const keys: string[] = [];
  const left = [...failures];
  const sent = sendSurely({
    name: 'mark/bkg_1/1',
    parts: ['1'],
    send: async (key) => {
      keys.push(key);
      const failure = left.shift();
      if (failure) throw failure;
      return 'done';
    },
  }).catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return { keys, end: await sent };
}

test('a lost answer is asked for again under the same key', async () => {
  const { keys, end } = await run([LOST, LOST]);
  expect(end).toBe('done');
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
});

test('after five calls without an answer it is not sure, and the key stays for the next press', async () => {
  const first = await run([LOST, LOST, LOST, LOST, LOST]);
  expect(first.end).toBeInstanceOf(NotSure);
  expect(first.keys).toHaveLength(5);
  const second = await run([]);
  expect(second.keys[0]).toBe(first.keys[0]);
  const third = await run([]);
  expect(third.keys[0]).not.toBe(first.keys[0]);
});

test('a refusal is an answer: it is not asked again, and the next press is another command', async () => {
  const refused = refusal(Code.FailedPrecondition, 'NOT_MARKABLE');
  const first = await run([refused]);
  expect(first.end).toBe(refused);
  expect(first.keys).toHaveLength(1);
  expect((await run([])).keys[0]).not.toBe(first.keys[0]);
});
