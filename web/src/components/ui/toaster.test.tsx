import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Dialog } from './dialog';
import {
  dismissToast,
  TOAST_BRIEF_MS,
  TOAST_DURATION_MS,
  TOAST_GAP_MS,
  toast,
} from './toast-store';
import { Toaster } from './toaster';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function show(title: string, variant?: 'default' | 'destructive') {
  act(() => {
    toast({ title, description: 'More words.', ...(variant ? { variant } : {}) });
  });
  return screen.queryByText(title)?.closest('[data-variant]') as HTMLElement;
}

test('the live region is there before any toast', () => {
  render(<Toaster />);
  expect(screen.getByRole('status').textContent).toBe('');
});

test('one at a time: a newer toast takes the place of the older one', () => {
  render(<Toaster />);
  show('First');
  expect(show('Second', 'destructive').dataset.variant).toBe('destructive');
  expect(screen.queryByText('First')).toBeNull();
});

test('it leaves after five seconds', () => {
  render(<Toaster />);
  show('Hello');
  act(() => vi.advanceTimersByTime(TOAST_DURATION_MS - 1));
  expect(screen.queryByText('Hello')).not.toBeNull();
  act(() => vi.advanceTimersByTime(1));
  expect(screen.queryByText('Hello')).toBeNull();
});

test('its time stops while the pointer or the focus is on it', () => {
  render(<Toaster />);
  const card = show('Read me');
  fireEvent.mouseEnter(card);
  act(() => vi.advanceTimersByTime(TOAST_DURATION_MS * 2));
  expect(screen.queryByText('Read me')).not.toBeNull();
  fireEvent.mouseLeave(card);
  act(() => vi.advanceTimersByTime(TOAST_DURATION_MS));
  expect(screen.queryByText('Read me')).toBeNull();
});

test('it can be dismissed', () => {
  render(<Toaster />);
  show('Away');
  fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
  expect(screen.queryByText('Away')).toBeNull();
});

test('a swipe of fifty pixels dismisses it, a shorter one does not', () => {
  render(<Toaster />);
  const card = show('Swipe');
  const handle = screen.getByTestId('toast-handle');
  // The rest of the card lets presses through, so nothing begins there.
  fireEvent.pointerDown(card, { clientX: 100, pointerId: 1 });
  fireEvent.pointerUp(card, { clientX: 200, pointerId: 1 });
  expect(screen.queryByText('Swipe')).not.toBeNull();
  fireEvent.pointerDown(handle, { clientX: 100, pointerId: 1 });
  fireEvent.pointerUp(handle, { clientX: 149, pointerId: 1 });
  expect(screen.queryByText('Swipe')).not.toBeNull();
  fireEvent.pointerDown(handle, { clientX: 100, pointerId: 1 });
  fireEvent.pointerUp(handle, { clientX: 150, pointerId: 1 });
  expect(screen.queryByText('Swipe')).toBeNull();
});

test('what stands beside the field is heard only, and covers nothing', () => {
  render(<Toaster />);
  act(() => void toast({ title: 'Please choose a time', variant: 'destructive', beside: true }));
  const card = screen.getByText('Please choose a time').closest('[data-variant]');
  expect(card?.className).toBe('sr-only');
  expect(screen.queryByRole('button')).toBeNull();
  act(() => vi.advanceTimersByTime(TOAST_DURATION_MS));
  expect(screen.queryByText('Please choose a time')).toBeNull();
});

test('an action is done once and ends the toast, which may stay longer for it', () => {
  render(<Toaster />);
  const onAction = vi.fn();
  act(() => {
    toast({ title: 'Removed', durationMs: 10_000, action: { label: 'Undo', onAction } });
  });
  act(() => vi.advanceTimersByTime(9_999));
  fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
  expect(onAction).toHaveBeenCalledTimes(1);
  expect(screen.queryByText('Removed')).toBeNull();
});

function offer(title: string, onAction = vi.fn()) {
  const action = { label: 'Undo', onAction, again: `${title}, still.` };
  act(() => void toast({ title, durationMs: 10_000, action }));
  return onAction;
}

test('a toast with an action ends at its time, even under the pointer', () => {
  render(<Toaster />);
  offer('Removed');
  act(() => vi.advanceTimersByTime(6_000));
  const button = screen.getByRole('button', { name: 'Undo' });
  fireEvent.mouseEnter(button.parentElement as HTMLElement);
  fireEvent.focus(button);
  act(() => vi.advanceTimersByTime(4_000));
  expect(screen.queryByText('Removed')).toBeNull();
});

test('an action comes back after another toast, for the time that it has left', () => {
  render(<Toaster />);
  offer('First');
  const second = offer('Second');
  show('Failed', 'destructive');
  act(() => vi.advanceTimersByTime(TOAST_BRIEF_MS));
  expect(screen.queryByText('Failed')).toBeNull();
  act(() => vi.advanceTimersByTime(TOAST_GAP_MS));
  expect(screen.getByText('Second, still.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
  expect(second).toHaveBeenCalledTimes(1);
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  act(() => vi.advanceTimersByTime(TOAST_GAP_MS));
  expect(screen.getByText('First, still.')).toBeTruthy();
  act(() => vi.advanceTimersByTime(10_000 - TOAST_BRIEF_MS - 2 * TOAST_GAP_MS));
  expect(screen.queryByText('First')).toBeNull();
});

test('an action that is dismissed while it waits does not come back', () => {
  render(<Toaster />);
  let id = 0;
  act(() => {
    id = toast({ title: 'Removed', durationMs: 10_000, action: { label: 'Undo', onAction() {} } });
  });
  show('Other');
  act(() => dismissToast(id));
  act(() => vi.advanceTimersByTime(TOAST_DURATION_MS + TOAST_GAP_MS));
  expect(screen.getByRole('status').textContent).toBe('');
});

test('while a dialog is open the toasts stand in it, and afterwards on the page again', () => {
  const both = (open: boolean) => (
    <>
      <Dialog open={open} onClose={() => {}} title="Details">
        Words
      </Dialog>
      <Toaster />
    </>
  );
  const { rerender } = render(both(false));
  const dialog = document.querySelector('dialog');
  expect(dialog?.contains(screen.getByRole('status'))).toBe(false);
  rerender(both(true));
  show('Said inside');
  expect(dialog?.contains(screen.getByText('Said inside'))).toBe(true);
  rerender(both(false));
  expect(dialog?.contains(screen.getByText('Said inside'))).toBe(false);
});
