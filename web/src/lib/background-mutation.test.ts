import { expect, test, vi } from 'vitest';
import { BackgroundMutation } from './background-mutation';

type Outcome = 'sent' | 'failed';

function open() {
  const unheard = vi.fn((outcome: Outcome) => outcome === 'failed');
  const attempt = new BackgroundMutation<Outcome>(unheard);
  let end: (outcome: Outcome) => void = () => {};
  const work = vi.fn(
    () =>
      new Promise<Outcome>((resolve) => {
        end = resolve;
      }),
  );
  const finish = async (outcome: Outcome, run: Promise<void>) => {
    end(outcome);
    await run;
  };
  return { attempt, unheard, work, finish };
}

test('a form that came later hears how the attempt of the one before it ends', async () => {
  const { attempt, work, unheard, finish } = open();
  const [before, after] = [vi.fn(), vi.fn()];
  const leave = attempt.listen(before);
  const run = attempt.run(work);
  leave();
  attempt.listen(after);
  expect(attempt.isRunning()).toBe(true);
  await finish('sent', run);
  expect(attempt.isRunning()).toBe(false);
  expect(after.mock.calls).toEqual([['sent']]);
  expect(before).not.toHaveBeenCalled();
  expect(unheard).not.toHaveBeenCalled();
});

test('there is one attempt at a time', async () => {
  const { attempt, work, finish } = open();
  const watcher = vi.fn();
  attempt.watch(watcher);
  const run = attempt.run(work);
  await attempt.run(work);
  await finish('sent', run);
  expect(work).toHaveBeenCalledTimes(1);
  expect(watcher).toHaveBeenCalledTimes(2);
});

test.each([
  ['failed', [['failed']]],
  ['sent', []],
] as const)('an end that nobody heard (%s) is kept once, if it is worth it', async (end, heard) => {
  const { attempt, work, finish } = open();
  await finish(end, attempt.run(work));
  const [first, second] = [vi.fn(), vi.fn()];
  attempt.listen(first)();
  attempt.listen(second);
  expect(first.mock.calls).toEqual(heard);
  expect(second).not.toHaveBeenCalled();
});
