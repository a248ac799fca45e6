import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

// Other tests press at once, and no press of a test is a person's.
vi.unmock('@/lib/use-steady-press');
const { useSteadyPress } = await import('./use-steady-press');

const BY_PERSON = { isTrusted: true };
const BY_PROGRAM = { isTrusted: false };

let visibility: DocumentVisibilityState = 'visible';

beforeEach(() => {
  visibility = 'visible';
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visibility);
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const pass = (ms: number) => act(() => void vi.advanceTimersByTime(ms));

function see(next: DocumentVisibilityState) {
  act(() => {
    visibility = next;
    document.dispatchEvent(new Event('visibilitychange'));
  });
}

function open(words = 'Cancel') {
  const done = vi.fn();
  const hook = renderHook((shown: string) => useSteadyPress(shown, done), { initialProps: words });
  const press = (event: { isTrusted: boolean }) => act(() => hook.result.current.press(event));
  return { done, press, hook };
}

test('a press counts a second after the button is shown, and only a person makes one', () => {
  const { done, press, hook } = open();
  pass(999);
  press(BY_PERSON);
  expect([hook.result.current.ready, done.mock.calls.length]).toEqual([false, 0]);
  pass(1);
  press(BY_PROGRAM);
  expect([hook.result.current.ready, done.mock.calls.length]).toEqual([true, 0]);
  press(BY_PERSON);
  expect(done).toHaveBeenCalledTimes(1);
});

test('in a page that is not seen nothing counts, and the second begins when it is seen', () => {
  visibility = 'hidden';
  const { done, press } = open();
  pass(10_000);
  press(BY_PERSON);
  see('visible');
  press(BY_PERSON);
  expect(done).not.toHaveBeenCalled();
  pass(1_000);
  see('hidden');
  press(BY_PERSON);
  expect(done).not.toHaveBeenCalled();
  see('visible');
  pass(1_000);
  press(BY_PERSON);
  expect(done).toHaveBeenCalledTimes(1);
});

test('other words are looked at for a second as well', () => {
  const { done, press, hook } = open('Cancel and get ₹1,500 back');
  pass(1_000);
  hook.rerender('Cancel and get ₹750 back');
  press(BY_PERSON);
  expect(done).not.toHaveBeenCalled();
  pass(1_000);
  press(BY_PERSON);
  expect(done).toHaveBeenCalledTimes(1);
});
