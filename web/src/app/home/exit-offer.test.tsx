/** Where the guide is offered to visitors who are about to leave. */
import { act, cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { renderApp } from '@/testing/render-app';
import HomeRoute from '../routes/home';
import ServicesPage from '../routes/services';

// While the test moves the clock nothing is fetched for later.
vi.mock('@/lib/idle', () => ({ whenIdle: () => () => {} }));

// What comes late comes from the disk here; afterwards it is there at once.
beforeAll(async () => {
  await import('@/features/guide/components/exit-card');
});

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

async function pass(ms: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(ms));
  await act(() => vi.dynamicImportSettled());
  await act(() => vi.advanceTimersByTimeAsync(0));
}

const shown = () => document.querySelector('dialog[open]')?.textContent ?? '';
const flag = () => sessionStorage.getItem('exitPopupShown');

test('the guide is offered on the welcome page, and on no other', async () => {
  renderApp(<ServicesPage />, { path: '/services' });
  await act(async () => {
    document.documentElement.dispatchEvent(new MouseEvent('mouseleave', { clientY: -1 }));
  });
  await pass(60_000);
  expect(shown()).toBe('');
  expect(flag()).toBeNull();
  cleanup();
  renderApp(<HomeRoute />);
  await pass(30_000);
  expect(shown()).toContain('Ten quiet minutes for you');
  expect(flag()).toBe('true');
});
