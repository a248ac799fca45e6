/** Leaves nothing behind between tests, nor between files. */
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeEach, vi } from 'vitest';
import { dismissToast } from '@/components/ui/toast-store';
import { keepWindow } from './kept-window';

// A busy machine takes more than the usual second to bring a page; what is there is found at once.
configure({ asyncUtilTimeout: 60_000 });

// No press of a test is a person's, and none waits a second; the hook's own test has the real one.
vi.mock('@/lib/use-steady-press', () => ({
  useSteadyPress: (_words: string, act: () => void) => ({ ready: true, press: act }),
}));

beforeEach(() => {
  // There is no server here; plain reads then go by the transport that a test gives.
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('no network in tests'));
});

afterEach(() => {
  cleanup();
  dismissToast();
  localStorage.clear();
  sessionStorage.clear();
  document.documentElement.className = '';
});

// The files of one process share its window and its libraries, which takes a fifth of the time.
// Our own modules are loaded anew for each file, once none of the file before is still on its way. A
// mock needs its factory: without one, vitest makes it of what the process holds already.
const asItWas = keepWindow();
afterAll(async () => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  asItWas();
  await vi.dynamicImportSettled();
  vi.resetModules();
});
