/** The quiz from its first step to its last, with a clock that the test moves. */
import { act, fireEvent, screen, within } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Snapshot } from '@/lib/snapshot';
import { expectAccessible } from '@/testing/accessible';
import { practiceFixture } from '@/testing/practice-fixture';
import { renderApp } from '@/testing/render-app';
import QuizDialog from './quiz-dialog';

// While the test moves the clock nothing is fetched for later.
vi.mock('@/lib/idle', () => ({ whenIdle: () => () => {} }));

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function Opener() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open it
      </button>
      <QuizDialog open={open} onClose={() => setOpen(false)} />
    </>
  );
}

function open(change: (snapshot: Snapshot) => Partial<Snapshot> = () => ({})): void {
  const snapshot = practiceFixture();
  renderApp(<Opener />, { snapshot: { ...snapshot, ...change(snapshot) } });
  press('Open it');
}

const dialog = () => within(screen.getByRole('dialog'));
const heading = () => dialog().getByRole('heading', { level: 3 });
const timer = () => dialog().getByRole('timer');
const shownTime = () => timer().querySelector('span')?.textContent;

function press(name: string | RegExp): void {
  fireEvent.click(screen.getByRole('button', { name }));
}

function choose(title: string): void {
  press('Start Your Assessment');
  press(new RegExp(`^Select This Area\\W+${title}$`));
}

function pass(ms: number): void {
  act(() => {
    vi.advanceTimersByTime(ms);
  });
}

function hrefs(name: RegExp): (string | null)[] {
  return dialog()
    .getAllByRole('link', { name })
    .map((link) => link.getAttribute('href'));
}

/** Looks at the step; no timer of the quiz is needed any more. */
async function expectAccessibleStep(): Promise<void> {
  vi.useRealTimers();
  await expectAccessible();
}

test('the welcome claims what the settings state, and leads to the areas', async () => {
  open();
  const claims = dialog()
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);
  expect(claims).toEqual(['500+ Helped', '15+ Years', '95% Success', 'Holistic']);
  expect(heading().textContent).toMatch(/^Step 1 of 3: /);
  expect(document.activeElement).toBe(heading());

  press('Start Your Assessment');
  expect(heading().textContent).toMatch(/^Step 2 of 3: /);
  expect(document.activeElement).toBe(heading());
  expect(dialog().getAllByRole('button', { name: /^Select This Area/ })).toHaveLength(4);
  await expectAccessibleStep();
});

test('a figure that the practice does not state is not claimed', async () => {
  open(({ practice }) => {
    const figures = practice.figures.filter(({ key }) => key !== 'success');
    return { practice: { ...practice, figures } };
  });
  expect(dialog().getAllByRole('listitem')).toHaveLength(3);
  expect(screen.queryByText(/Success/)).toBeNull();
  await expectAccessibleStep();
});

test('the results show each service with its facts, and mark the first one only', async () => {
  open();
  choose('Energy & Spiritual Healing');
  expect(heading().textContent).toMatch(/^Step 3 of 3: /);
  expect(document.activeElement).toBe(heading());
  const cards = dialog().getAllByRole('listitem');
  expect(cards.map((card) => within(card).getByRole('heading').textContent)).toEqual([
    'Energy Healing',
    'Karmic Healing',
    'Meditation & Mindfulness',
  ]);
  expect(cards.map((card) => within(card).queryAllByText('Recommended').length)).toEqual([1, 0, 0]);
  const { services } = practiceFixture();
  const first = services.find(({ serviceId }) => serviceId === 'energy-healing');
  for (const words of ['45-60 minutes', '₹700', first?.description ?? 'none']) {
    expect(within(cards[0] as HTMLElement).getByText(words)).toBeTruthy();
  }
  expect(dialog().queryByText(/per session/)).toBeNull();
  const ids = ['energy-healing', 'karmic-healing', 'meditation'];
  expect(hrefs(/^Learn More/)).toEqual(ids.map((id) => `/services/${id}`));
  expect(hrefs(/^Book Now/)).toEqual(ids.map((id) => `/book?service=${id}`));
  expect(hrefs(/^Book Your First Session$/)).toEqual(['/book?service=energy-healing']);
  await expectAccessibleStep();
});

test('the clock stands at 1:30, goes with the first step, stops at 0:00 and harms nothing', async () => {
  open();
  pass(20_000);
  expect(shownTime()).toBe('1:30');
  press('Start Your Assessment');
  expect(shownTime()).toBe('1:30');
  pass(999);
  expect(shownTime()).toBe('1:30');
  pass(1);
  expect(shownTime()).toBe('1:29');
  expect(timer().textContent).toContain('1 minute 29 seconds left');
  expect(timer().getAttribute('aria-live')).toBe('off');
  press(/^Select This Area\W+General/);
  pass(29_000);
  expect(shownTime()).toBe('1:00');
  pass(59_000);
  expect(shownTime()).toBe('0:01');
  expect(dialog().queryByText('Take your time')).toBeNull();
  pass(1000);
  expect(shownTime()).toBe('0:00');
  expect(dialog().getByText('Take your time')).toBeTruthy();
  expect(vi.getTimerCount()).toBe(0);
  pass(60_000);
  expect(shownTime()).toBe('0:00');
  expect(heading().textContent).toMatch(/^Step 3 of 3: /);
  await expectAccessibleStep();
});

test('a timer that comes late shows the right second at once', () => {
  open();
  press('Start Your Assessment');
  pass(1000);
  vi.setSystemTime(Date.now() + 3_600_000);
  pass(1000);
  // The time of day changed, which the quiz's clock does not use.
  expect(shownTime()).toBe('1:28');
  const asleep = performance.now() + 40_000;
  vi.spyOn(performance, 'now').mockImplementation(() => asleep);
  pass(1000);
  expect(shownTime()).toBe('0:48');
});

test('taking it again goes back to the welcome, with the area forgotten and the time whole', () => {
  open();
  choose('Relationship & Connection');
  pass(10_000);
  expect(shownTime()).toBe('1:20');
  press('Take Quiz Again');
  expect(heading().textContent).toMatch(/^Step 1 of 3: /);
  expect(document.activeElement).toBe(heading());
  expect(shownTime()).toBe('1:30');
  pass(5000);
  expect(shownTime()).toBe('1:30');
  choose('Vedic Astrology & Life Path');
  pass(2000);
  expect(shownTime()).toBe('1:28');
  expect(hrefs(/^Book Your First Session$/)).toEqual(['/book?service=vedic-astrology']);
});

test('Back leads one step back, and another area can be chosen', () => {
  open();
  choose('Relationship & Connection');
  pass(4000);
  press('Back');
  expect(heading().textContent).toMatch(/^Step 2 of 3: /);
  expect(shownTime()).toBe('1:26');
  press('Back');
  expect(heading().textContent).toMatch(/^Step 1 of 3: /);
  expect(screen.queryByRole('button', { name: 'Back' })).toBeNull();
});

test('it closes, and begins at the welcome when it is opened again', () => {
  open();
  choose('General Mental Wellness');
  pass(3000);
  press('Close');
  expect(screen.queryByRole('dialog')).toBeNull();
  press('Open it');
  expect(heading().textContent).toMatch(/^Step 1 of 3: /);
  expect(document.activeElement).toBe(heading());
  expect(shownTime()).toBe('1:30');
  fireEvent(screen.getByRole('dialog'), new Event('close'));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('what is not offered any more is skipped, and the next one is the recommended one', () => {
  open(({ services }) => ({
    services: services.filter(({ serviceId }) => serviceId !== 'energy-healing'),
  }));
  choose('Energy & Spiritual Healing');
  const cards = dialog().getAllByRole('listitem');
  expect(cards).toHaveLength(2);
  expect(within(cards[0] as HTMLElement).getByText('Karmic Healing')).toBeTruthy();
  expect(within(cards[0] as HTMLElement).getByText('Recommended')).toBeTruthy();
  expect(hrefs(/^Book Your First Session$/)).toEqual(['/book?service=karmic-healing']);
});

test('where nothing is left, it says so and leads to all services', () => {
  open(() => ({ services: [] }));
  choose('Energy & Spiritual Healing');
  expect(heading().textContent).toContain('For this we have no session right now');
  expect(hrefs(/^See all services$/)).toEqual(['/services']);
  expect(screen.queryByRole('link', { name: 'Book Your First Session' })).toBeNull();
  press('Take Quiz Again');
  expect(heading().textContent).toMatch(/^Step 1 of 3: /);
});

test('without areas there is nothing to ask, and a way to all services', () => {
  open(() => ({ quizAreas: [] }));
  press('Start Your Assessment');
  expect(heading().textContent).toContain('There is nothing to choose from right now');
  expect(hrefs(/^See all services$/)).toEqual(['/services']);
});

test('results that are come back to are there again', () => {
  const state = { quizArea: practiceFixture().quizAreas[0]?.areaId };
  renderApp(<QuizDialog open onClose={() => {}} />, {
    path: { pathname: '/', search: '?quiz', state },
  });
  expect(heading().textContent).toMatch(/^Step 3 of 3: /);
});
