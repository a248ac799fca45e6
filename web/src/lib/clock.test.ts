import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const SERVER = Date.parse('2026-11-24T06:00:00Z');
const MINUTE = 60_000;

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers();
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A device whose clock is off by so much, at a server that says its own time. */
function device(off: number, headers: Record<string, string> = {}) {
  vi.setSystemTime(SERVER + off);
  const date = () => new Date(Date.now() - off).toUTCString();
  const answer = vi.fn(async () => new Response('', { headers: { date: date(), ...headers } }));
  vi.stubGlobal('fetch', answer);
  return answer;
}

test.each([
  ['40 minutes ahead', 40 * MINUTE],
  ['60 minutes behind', -60 * MINUTE],
])('a device %s shows the time of the server', async (_, off) => {
  device(off);
  const { clockedFetch, serverNow, serverDate, onClockSet } = await import('./clock');
  const told = vi.fn();
  onClockSet(told);
  expect(serverNow()).toBe(SERVER + off);
  await clockedFetch('/rpc/x', { method: 'POST' });
  expect(Math.abs(serverNow() - SERVER)).toBeLessThanOrEqual(1000);
  expect(serverDate().getTime()).toBe(serverNow());
  expect(told).toHaveBeenCalledOnce();
  // The difference stays; only a device whose clock is set again is measured anew.
  vi.advanceTimersByTime(10 * MINUTE);
  await clockedFetch('/rpc/x', { method: 'POST' });
  expect(Math.abs(serverNow() - SERVER - 10 * MINUTE)).toBeLessThanOrEqual(1000);
  expect(told).toHaveBeenCalledOnce();
});

test('a device that is right keeps its own clock to the millisecond', async () => {
  device(2_000);
  const { clockedFetch, serverNow } = await import('./clock');
  await clockedFetch('/rpc/x', { method: 'POST' });
  expect(serverNow()).toBe(SERVER + 2_000);
});

test('an answer that the browser kept says nothing about now', async () => {
  const kept = { date: new Date(SERVER - 40 * MINUTE).toUTCString() };
  device(0, { ...kept, 'cache-control': 'max-age=3600' });
  const { clockedFetch, serverNow } = await import('./clock');
  await clockedFetch('/rpc/x');
  expect(serverNow()).toBe(SERVER);
});

test('the server is asked once, and only where no answer has told', async () => {
  const answer = device(40 * MINUTE);
  const { clockedFetch, measureClock, serverNow } = await import('./clock');
  await measureClock();
  await measureClock();
  expect(answer).toHaveBeenCalledOnce();
  expect(Math.abs(serverNow() - SERVER)).toBeLessThanOrEqual(1000);
  await clockedFetch('/rpc/x', { headers: { 'cache-control': 'no-store' } });
  answer.mockRejectedValueOnce(new TypeError('offline'));
  await expect(measureClock()).resolves.toBeUndefined();
});
