/** The offer to visitors who are about to leave, with a clock and a mouse that the test moves. */
import { Code } from '@connectrpc/connect';
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { expectAccessible } from '@/testing/accessible';
import { resetServer, server, transport } from '@/testing/guide-server';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { ExitPopup } from './exit-popup';

// While the test moves the clock nothing is fetched for later.
vi.mock('@/lib/idle', () => ({ whenIdle: () => () => {} }));

// What comes late comes from the disk here; afterwards it is there at once.
beforeAll(async () => {
  await Promise.all([import('./exit-card'), import('../api/request-guide')]);
});

beforeEach(() => {
  resetServer();
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function visit(more: ReactNode = null): void {
  renderApp(
    <main id="main" tabIndex={-1}>
      <button type="button">Read on</button>
      {more}
      <ExitPopup />
      <Toaster />
    </main>,
    { transport },
  );
}

/** Moves the clock, and lets everything happen that needs no more time. */
async function pass(ms: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(ms));
  for (let round = 0; round < 5; round += 1) {
    await act(() => vi.dynamicImportSettled());
    await act(() => vi.advanceTimersByTimeAsync(0));
  }
}

async function leave(clientY: number): Promise<void> {
  fireEvent.mouseLeave(document.documentElement, { clientY });
  fireEvent(document.documentElement, new MouseEvent('mouseleave', { clientY }));
  await pass(0);
}

const popup = () => screen.queryByRole('dialog', { name: 'Ten quiet minutes for you' });
const field = () => screen.getByLabelText<HTMLInputElement>('Email');
const flag = () => sessionStorage.getItem('exitPopupShown');
const toasts = () => within(screen.getByTestId('toasts'));

async function send(address: string): Promise<void> {
  fireEvent.change(field(), { target: { value: address } });
  const form = field().form;
  if (form) fireEvent.submit(form);
  await pass(0);
}

test('it opens after 30 seconds and not before, with no focus taken and a quiet word', async () => {
  visit();
  screen.getByText('Read on').focus();
  await pass(29_999);
  expect(popup()).toBeNull();
  expect(flag()).toBeNull();
  await pass(1);
  expect(popup()).toBeTruthy();
  expect(flag()).toBe('true');
  expect(popup()?.textContent).toContain(
    'a free 5-step meditation guide that works in 10 minutes.',
  );
  expect(popup()?.matches('[aria-modal]')).toBe(false);
  expect(document.activeElement).toBe(screen.getByText('Read on'));
  const said = screen.getAllByRole('status').map(({ textContent }) => textContent);
  expect(said).toContain(
    'At the end of this page a free meditation guide is offered. Escape closes the offer.',
  );
  vi.useRealTimers();
  await expectAccessible();
});

test('it opens when the mouse leaves through the top, and at no other side', async () => {
  visit();
  await leave(400);
  expect(popup()).toBeNull();
  fireEvent(screen.getByText('Read on'), new MouseEvent('mouseleave', { clientY: 0 }));
  await pass(0);
  expect(popup()).toBeNull();
  await leave(0);
  expect(popup()).toBeTruthy();
});

test('a finger does not leave through the top', async () => {
  const none = { matches: true } as MediaQueryList;
  vi.spyOn(window, 'matchMedia').mockReturnValue(none);
  visit();
  await leave(-1);
  expect(popup()).toBeNull();
  await pass(30_000);
  expect(popup()).toBeTruthy();
});

test('an offer whose code does not come is not made, and the page stays', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  visit();
  await leave(-5);
  expect(popup()).toBeNull();
  expect(screen.getByRole('button', { name: 'Read on' })).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
  // In another document it can be made.
  expect(flag()).toBeNull();
});

test('once closed it never comes back in this session', async () => {
  visit();
  await leave(-1);
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(popup()).toBeNull();
  await leave(-1);
  await pass(120_000);
  expect(popup()).toBeNull();
  cleanup();
  visit();
  await leave(-1);
  await pass(120_000);
  expect(popup()).toBeNull();
});

test('it waits while a dialog is open', async () => {
  visit(<dialog open>The quiz</dialog>);
  await leave(-1);
  await pass(60_000);
  expect(popup()).toBeNull();
  expect(flag()).toBeNull();
  screen.getByText('The quiz').removeAttribute('open');
  await pass(500);
  expect(popup()).toBeTruthy();
});

test('it waits while a field has the focus', async () => {
  visit(<input aria-label="Your words" />);
  screen.getByLabelText('Your words').focus();
  await pass(45_000);
  expect(popup()).toBeNull();
  screen.getByLabelText('Your words').blur();
  await pass(500);
  expect(popup()).toBeTruthy();
});

test('Escape closes it, and gives the focus back that was in it', async () => {
  visit();
  screen.getByText('Read on').focus();
  await pass(30_000);
  field().focus();
  fireEvent.keyDown(field(), { key: 'Escape' });
  expect(popup()).toBeNull();
  expect(document.activeElement).toBe(screen.getByText('Read on'));
});

test('Escape from elsewhere closes it and leaves the focus; under a dialog it belongs to that', async () => {
  visit(<dialog>The quiz</dialog>);
  screen.getByText('Read on').focus();
  await pass(30_000);
  screen.getByText('The quiz').setAttribute('open', '');
  fireEvent.keyDown(document.body, { key: 'Escape' });
  expect(popup()).toBeTruthy();
  screen.getByText('The quiz').removeAttribute('open');
  fireEvent.keyDown(document.body, { key: 'Escape' });
  expect(popup()).toBeNull();
  expect(document.activeElement).toBe(screen.getByText('Read on'));
});

test('it closes when the guide is on its way, and the toast says so', async () => {
  visit();
  await pass(30_000);
  field().focus();
  await send('asha@example.org');
  expect(server.asked).toHaveLength(1);
  expect(toasts().getByText('Success!')).toBeTruthy();
  const words = 'Your 5-step meditation guide is on its way to your inbox.';
  expect(toasts().getByText(words)).toBeTruthy();
  expect(popup()).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole('main'));
});

test('a failure keeps it open with the address, and makes room for the toast', async () => {
  server.refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE')];
  visit();
  await pass(30_000);
  expect(popup()?.className).not.toContain('bottom-34');
  await send('asha@example.org');
  expect(toasts().getByText('Error')).toBeTruthy();
  expect(toasts().getByText('Failed to send the guide. Please try again.')).toBeTruthy();
  expect(popup()?.className).toContain('bottom-34');
  expect(field().value).toBe('asha@example.org');
  vi.useRealTimers();
  await expectAccessible();
});

test('the line of a low window opens the whole offer, and its title takes the focus', async () => {
  visit();
  screen.getByText('Read on').focus();
  await pass(30_000);
  const line = screen.getByRole('button', { name: /^Ten quiet minutes for you Open$/ });
  expect(line.className).toContain('low:flex');
  expect(field().closest('.low\\:hidden')).toBeTruthy();
  line.focus();
  fireEvent.click(line);
  expect(line.className).not.toContain('low:flex');
  expect(field().closest('.low\\:hidden')).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole('heading', { level: 2 }));
  fireEvent.keyDown(document.body, { key: 'Escape' });
  expect(document.activeElement).toBe(screen.getByText('Read on'));
});
