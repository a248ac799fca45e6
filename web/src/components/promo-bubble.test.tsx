import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startAuth } from '@/lib/auth';
import { SESSION_KEY, sessionStore } from '@/lib/session-store';
import { expectAccessible } from '@/testing/accessible';
import { renderApp } from '@/testing/render-app';
import { PROMO_DELAY_MS, PROMO_KEY, PromoBubble } from './promo-bubble';

const WORDS =
  'Join our community! Sign up for personalized healing sessions and track your wellness journey.';

let stopAuth = () => {};

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  stopAuth();
  vi.useRealTimers();
});

/** Shows the bubble's place as a visitor gets it. */
function open(path = '/') {
  stopAuth = startAuth();
  return renderApp(<PromoBubble />, { path });
}

function pass(ms: number): void {
  act(() => vi.advanceTimersByTime(ms));
}

function bubble(): HTMLElement | null {
  return screen.queryByRole('complementary', { name: 'Invitation' });
}

test('it comes two seconds after the load, politely and without the focus', async () => {
  open();
  pass(PROMO_DELAY_MS - 1);
  expect(bubble()).toBeNull();
  pass(1);
  expect(bubble()?.textContent).toContain(WORDS);
  expect(bubble()?.closest('[aria-live="polite"]')).toBeTruthy();
  expect(document.activeElement).toBe(document.body);
  vi.useRealTimers();
  await expectAccessible();
});

test('its close button sends it away for good', () => {
  const { unmount } = open();
  pass(PROMO_DELAY_MS);
  fireEvent.click(screen.getByRole('button', { name: 'Hide this invitation' }));
  expect(bubble()).toBeNull();
  expect(localStorage.getItem(PROMO_KEY)).not.toBeNull();
  unmount();
  open();
  pass(PROMO_DELAY_MS * 2);
  expect(bubble()).toBeNull();
});

test('Escape hides it, unless it closes something in front of it', () => {
  open();
  pass(PROMO_DELAY_MS);
  const dialog = document.createElement('dialog');
  dialog.open = true;
  document.body.append(dialog);
  fireEvent.keyDown(document, { key: 'Escape' });
  expect(bubble()).not.toBeNull();
  dialog.remove();
  fireEvent.keyDown(document, { key: 'Escape' });
  expect(bubble()).toBeNull();
});

test('no invitation with an account, during a booking or on the pages of signing in', () => {
  for (const path of ['/booking-flow', '/pay/booking', '/sign-in', '/sign-up']) {
    const { unmount } = open(path);
    pass(PROMO_DELAY_MS);
    expect(bubble()).toBeNull();
    unmount();
  }
  const user = { id: 'usr_1', email: 'asha@example.com', user_metadata: {} };
  void sessionStore.setItem(SESSION_KEY, JSON.stringify({ access_token: 'a', user }));
  open();
  pass(PROMO_DELAY_MS);
  expect(bubble()).toBeNull();
  void sessionStore.removeItem(SESSION_KEY);
});
