import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { endsOf, IDLE_MS, isRefusal, leftMs, lossOf, timeLeft, usedAt } from './grant-rules';

const MINUTE = 60_000;
/** Asked at noon on the browser's clock; the server's clock is two days ahead. */
const ASKED = Date.parse('2026-11-24T06:30:00Z');
const GRANTED = {
  idleEndsAt: timestampFromDate(new Date('2026-11-26T06:40:00Z')),
  endsAt: timestampFromDate(new Date('2026-11-26T07:00:00Z')),
};

test('a wrong clock of the browser does not change the time left', () => {
  const ends = endsOf(GRANTED, ASKED);
  expect(leftMs(ends, ASKED)).toBe(IDLE_MS);
  expect(ends.atLatest - ASKED).toBe(30 * MINUTE);
});

test('use puts the end off, but not beyond the last moment', () => {
  const ends = endsOf(GRANTED, ASKED);
  expect(leftMs(usedAt(ends, ASKED + 5 * MINUTE), ASKED + 5 * MINUTE)).toBe(IDLE_MS);
  const late = usedAt(ends, ASKED + 25 * MINUTE);
  expect(leftMs(late, ASKED + 25 * MINUTE)).toBe(5 * MINUTE);
  expect(leftMs(late, ASKED + 31 * MINUTE)).toBe(0);
});

test('the time left is said in whole minutes, and staying is offered when it helps', () => {
  const ends = endsOf(GRANTED, ASKED);
  expect(timeLeft(ends, ASKED + MINUTE / 2)).toEqual({
    text: 'Locks by itself in 10 minutes if you do nothing, in 30 minutes at the latest.',
    canStay: false,
  });
  expect(timeLeft(ends, ASKED + 9 * MINUTE).canStay).toBe(true);
  const late = usedAt(ends, ASKED + 25 * MINUTE);
  expect(timeLeft(late, ASKED + 29 * MINUTE)).toEqual({
    text: 'Locks by itself in one minute.',
    canStay: false,
  });
});

test('only what the server refuses is an incorrect password', () => {
  for (const code of [Code.PermissionDenied, Code.ResourceExhausted, Code.Unauthenticated]) {
    expect(isRefusal(new ConnectError('no', code))).toBe(true);
  }
  for (const code of [Code.Unavailable, Code.DeadlineExceeded, Code.Internal]) {
    expect(isRefusal(new ConnectError('down', code))).toBe(false);
  }
  expect(isRefusal(new TypeError('offline'))).toBe(false);
});

test('a failure that is not about the grant leaves the panel open', () => {
  expect(lossOf(new ConnectError('gone', Code.NotFound))).toBeUndefined();
  expect(lossOf(new ConnectError('down', Code.Unavailable))).toBeUndefined();
  expect(lossOf(new ConnectError('no', Code.PermissionDenied))).toMatch(/locked itself/);
  expect(lossOf(new ConnectError('who', Code.Unauthenticated))).toMatch(/sign in again/);
});
