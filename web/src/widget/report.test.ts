import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followReport, type ReportState, readReport } from './report';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const SECOND = 1_000;

function follow(answers: (ReportState | Error)[]) {
  const told: ReportState[] = [];
  const asked: number[] = [];
  const begun = Date.now();
  const ended = vi.fn();
  const stop = followReport({
    read: async () => {
      asked.push((Date.now() - begun) / SECOND);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer instanceof Error) throw answer;
      return answer ?? 'waiting';
    },
    tell: (state) => told.push(state),
    tellEnd: ended,
  });
  return { told, asked, ended, stop };
}

test('each new state is told once, and nothing is asked after the last', async () => {
  const { told, asked } = follow(['waiting', 'held', 'held', 'confirmed']);
  await vi.advanceTimersByTimeAsync(60 * SECOND);
  expect(told).toEqual(['held', 'confirmed']);
  expect(asked).toEqual([3, 6, 9, 12]);
});

test('a hold that ended may be followed by another time, and an ended report takes nothing back', async () => {
  const { told, stop } = follow(['held', 'expired', 'held', 'waiting']);
  await vi.advanceTimersByTimeAsync(60 * SECOND);
  expect(told).toEqual(['held', 'expired', 'held']);
  stop();
});

test('a failure is tried again, later each time', async () => {
  const gone = new TypeError('no network');
  const { told, asked } = follow([gone, gone, gone, gone, gone, 'confirmed']);
  await vi.advanceTimersByTimeAsync(200 * SECOND);
  expect(asked).toEqual([3, 9, 21, 45, 75, 105]);
  expect(told).toEqual(['confirmed']);
});

test('a page that comes back into view asks at once, and none that was left', async () => {
  const { asked, stop } = follow(['waiting']);
  document.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual([0]);
  stop();
  document.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(60 * SECOND);
  expect(asked).toEqual([0]);
});

test('asking has an end', async () => {
  const { ended, asked } = follow(['held']);
  await vi.advanceTimersByTimeAsync(4 * 60 * 60 * SECOND);
  expect(ended).toHaveBeenCalledOnce();
  expect(asked.length).toBeLessThanOrEqual(3601);
});

test('the state is asked for by the id alone, past every cache', async () => {
  const answer = () => Promise.resolve(Response.json({ state: 'REPORT_STATE_HELD' }));
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(answer);
  const id = 'ab'.repeat(16);
  expect(await readReport(id, new AbortController().signal)).toBe('held');
  const [address, init] = fetched.mock.calls[0] ?? [];
  expect(String(address)).toMatch(/^\/rpc\/booking\.v1\.WidgetService\/GetReport\?/);
  expect(String(address)).toContain(id);
  expect(init?.cache).toBe('no-store');
  fetched.mockResolvedValue(Response.json({}));
  expect(await readReport(id, new AbortController().signal)).toBe('waiting');
});
