/** The guide's page, with a catalogue that a test plays. */
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { paragraphsOf, readGuideFile } from '@/prerender/practice-files';
import { expectAccessible } from '@/testing/accessible';
import { guideFixture, resetServer, server, transport } from '@/testing/guide-server';
import { practiceFixture } from '@/testing/practice-fixture';
import { renderApp } from '@/testing/render-app';
import { GuidePage } from './guide-page';

// The practice refreshes itself as well, and must not take the guide away with it.
vi.mock('@/lib/catalogue-calls', () => ({ fetchSnapshot: async () => practiceFixture() }));

beforeEach(resetServer);
afterEach(() => vi.useRealTimers());

function open(guide = false) {
  const snapshot = practiceFixture();
  const written = guide ? { ...snapshot, guide: guideFixture('Written Minutes') } : snapshot;
  renderApp(<GuidePage />, { path: '/meditation-guide', transport, snapshot: written });
}

const title = () => screen.getByRole('heading', { level: 1 }).textContent;

test('the guide is read from the catalogue and shown whole', async () => {
  open();
  expect(title()).toBe('Meditation Guide');
  expect(screen.getByText('Loading the guide…')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Print' })).toHaveProperty('disabled', true);
  await expectAccessible();
  await screen.findByRole('heading', { level: 3, name: 'Step 1: Breathe' });
  expect(title()).toBe('Two Quiet Minutes');
  for (const text of ['Sit down.', 'In and out.', 'Do nothing.', 'Go on with your day.']) {
    expect(screen.getByText(text)).toBeTruthy();
  }
  for (const fact of ['2 steps', '3 minutes', '1 minute', '2 minutes']) {
    expect(screen.getByText(fact)).toBeTruthy();
  }
  expect(screen.queryByText('Loading the guide…')).toBeNull();
});

test('a document that was written with the guide shows it at once, and news when it is idle', async () => {
  open(true);
  expect(title()).toBe('Written Minutes');
  expect(server.reads).toBe(0);
  await waitFor(() => expect(title()).toBe('Two Quiet Minutes'));
});

test('a guide that is there stays when the catalogue does not answer', async () => {
  server.down = true;
  open(true);
  await waitFor(() => expect(server.reads).toBe(1));
  expect(title()).toBe('Written Minutes');
  expect(screen.queryByRole('alert')).toBeNull();
});

test('a failure is said in words and can be tried again; the form stays', async () => {
  server.down = true;
  open();
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('The guide could not be loaded');
  expect(screen.getByLabelText('Email')).toBeTruthy();
  await expectAccessible();
  server.down = false;
  await userEvent.click(within(alert).getByRole('button', { name: 'Try again' }));
  await screen.findByRole('heading', { level: 3, name: 'Step 1: Breathe' });
  expect(screen.queryByRole('alert')).toBeNull();
});

test('the print button prints', async () => {
  const print = vi.fn();
  vi.stubGlobal('print', print);
  open(true);
  await userEvent.click(screen.getByRole('button', { name: 'Print' }));
  expect(print).toHaveBeenCalledTimes(1);
  vi.unstubAllGlobals();
});

test('the timer goes from step to step, rests, and says what is on', async () => {
  open(true);
  await waitFor(() => expect(server.reads).toBe(1));
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  const person = userEvent.setup();
  const steps = () =>
    screen.getAllByRole('listitem').filter((item) => item.getAttribute('aria-current') === 'step');
  const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));
  await person.click(screen.getByRole('button', { name: 'Start 3 minutes' }));
  expect(screen.getByRole('timer').textContent).toBe('1:00');
  expect(screen.getByText('Step 1 of 2: Breathe, 1 minute.')).toBeTruthy();
  expect(document.activeElement?.textContent).toBe('Rest');
  expect(steps()).toHaveLength(1);
  pass(20_000);
  expect(screen.getByRole('timer').textContent).toBe('0:40');
  await person.keyboard('{Enter}');
  expect(document.activeElement?.textContent).toBe('Go on');
  await expectAccessible();
  pass(60_000);
  expect(screen.getByRole('timer').textContent).toBe('0:40');
  await person.click(screen.getByRole('button', { name: 'Go on' }));
  pass(41_000);
  expect(screen.getByText('Step 2 of 2: Rest, 2 minutes.')).toBeTruthy();
  expect(screen.getByRole('progressbar', { name: 'Breathe' })).toHaveProperty('value', 100);
  await person.click(screen.getByRole('button', { name: 'Finish' }));
  expect(screen.getByText(/That was all\./)).toBeTruthy();
  expect(steps()).toHaveLength(0);
  expect(document.activeElement?.textContent).toBe('Set it back');
  await expectAccessible();
  await person.keyboard('{Enter}');
  expect(document.activeElement?.textContent).toBe('Start 3 minutes');
});

test('a timer that ends does not take the focus from a field', async () => {
  open(true);
  await waitFor(() => expect(server.reads).toBe(1));
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  const person = userEvent.setup();
  await person.click(screen.getByRole('button', { name: 'Start 3 minutes' }));
  await person.click(screen.getByLabelText('Email'));
  act(() => vi.advanceTimersByTime(180_000));
  expect(screen.getByText(/That was all\./)).toBeTruthy();
  expect(document.activeElement).toBe(screen.getByLabelText('Email'));
});

test('the committed guide has five steps of ten minutes together', () => {
  const guide = readGuideFile('../deploy/local/practice');
  expect(guide.steps).toHaveLength(5);
  expect(guide.minutes).toBe(10);
  expect(guide.introduction.join(' ')).toContain('not medical treatment');
});

test('paragraphs are separated by empty lines, as the catalogue separates them', () => {
  expect(paragraphsOf('\n  In,\n  and  out.\n \t\n\n\nAgain.\r\n')).toEqual([
    'In, and out.',
    'Again.',
  ]);
  expect(paragraphsOf(' \n ')).toEqual([]);
});
