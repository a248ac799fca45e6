/** The widget as a person sees it, with a server and a page around it that a test plays. */
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import type { WidgetData } from './offer';
import { startWidget } from './widget';

const SITE = 'https://wellness.example';
const DATA: WidgetData = {
  services: [
    {
      serviceId: 'meditation',
      title: 'Meditation',
      durationText: '45 minutes',
      priceText: '₹1,100',
      practitioners: [],
    },
    {
      serviceId: 'healing',
      title: 'Healing',
      durationText: '60 minutes',
      priceText: '₹1,500',
      practitioners: [
        { practitionerId: 'lead', name: 'Meera Joshi' },
        { practitionerId: 'ravi', name: 'Ravi Menon' },
      ],
    },
  ],
  packages: [
    { packageId: 'starter', title: 'Starter', description: 'Three sessions', priceText: '₹4,500' },
  ],
  practiceName: 'Sukoon',
  crisisNote: 'Call 14416.',
  holdMinutes: 15,
  parents: [SITE],
};
const DATES = [24, 25, 26, 27, 28, 29, 30].map((day) => `2026-11-${day}`);

type Said = { event: string; payload: Record<string, unknown> };

let said: Said[];
let slotsAsked: Record<string, unknown>[];
/** What a read of the slots ends with. */
let slots: () => Response;
let reports: string[];

function week(free = true): Response {
  const days = DATES.map((date) => ({
    date,
    slots: [
      { startsAt: `${date}T05:30:00Z`, endsAt: `${date}T06:15:00Z`, available: free },
      { startsAt: `${date}T07:30:00Z`, endsAt: `${date}T08:15:00Z` },
    ],
  }));
  const zone = { timeZone: 'Asia/Kolkata', timeZoneLabel: 'IST' };
  const next = free ? {} : { nextAvailableAt: '2026-12-02T05:30:00Z' };
  return Response.json({ days, ...zone, lastDate: '2027-01-20', ...next });
}

async function answer(input: RequestInfo | URL): Promise<Response> {
  const url = new URL(String(input), 'http://localhost');
  const message = JSON.parse(url.searchParams.get('message') ?? '{}');
  if (url.pathname.endsWith('/ListSlots')) {
    slotsAsked.push(message);
    return slots();
  }
  if (url.pathname.endsWith('/GetReport')) {
    return Response.json({ state: reports.length > 1 ? reports.shift() : reports[0] });
  }
  return new Response('', { status: 503 });
}

/** The page around the frame; what it says comes from a listed origin. */
const around = {
  postMessage: (message: Said, origin: string) => {
    expect(origin).toBe(SITE);
    said.push(message);
  },
};

function hear(event: string, payload = {}): void {
  const message = { data: { event, payload }, origin: SITE, source: around };
  window.dispatchEvent(new MessageEvent('message', message as unknown as MessageEventInit));
}

/** Makes the browser's own zone this one. */
function readerIn(timeZone: string): void {
  const own = { ...Intl.DateTimeFormat().resolvedOptions(), timeZone };
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue(own);
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-24T03:30:00Z') });
  readerIn('Asia/Kolkata');
  said = [];
  slotsAsked = [];
  slots = week;
  reports = ['REPORT_STATE_WAITING'];
  vi.spyOn(globalThis, 'fetch').mockImplementation(answer);
  vi.stubGlobal('parent', around);
  for (const target of [window, document]) vi.spyOn(target, 'addEventListener');
});

afterEach(() => {
  // A widget lives as long as its document, and here there is one for all tests.
  for (const button of screen.queryAllByRole('button', { name: /^(Choose|Book) another/ })) {
    button.click();
  }
  for (const target of [window, document]) {
    for (const [type, listener] of vi.mocked(target.addEventListener).mock.calls) {
      target.removeEventListener(type, listener as EventListener);
    }
  }
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
  document.documentElement.removeAttribute('style');
  window.history.replaceState(null, '', '/');
});

function open(query = ''): ReturnType<typeof userEvent.setup> {
  window.history.replaceState(null, '', `/embed/book${query}`);
  const root = document.createElement('div');
  root.dataset.testid = 'widget';
  document.body.append(root);
  // No tab is opened here.
  root.addEventListener('click', (event) => event.preventDefault());
  startWidget(root, structuredClone(DATA));
  return userEvent.setup();
}

function steps(): string[] {
  return said.map(({ event }) => event).filter((event) => event !== 'sukoon:resize');
}

function time(name: RegExp) {
  return screen.findByRole('link', { name });
}

test('a visitor in another zone reads the own time too', async () => {
  readerIn('Europe/London');
  open();
  const first = await time(/^11:00 am IST, Tuesday, 24 November/);
  expect(first.textContent).toContain('5:30 am your time');
});

test('the number of the helpline is called by a press', () => {
  open();
  expect(screen.getByRole('link', { name: '14416' }).getAttribute('href')).toBe('tel:14416');
});

test('sessions and free times are seen, and each step is told', async () => {
  const person = open();
  const first = await time(/^11:00 am IST, Tuesday, 24 November, opens in a new tab$/);
  expect(screen.queryByRole('link', { name: /1:00 pm/ })).toBeNull();
  expect(screen.getByRole('status').textContent).toContain('7 free');
  const url = new URL((first as HTMLAnchorElement).href);
  expect(url.pathname).toBe('/book');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    service: 'meditation',
    slot: '2026-11-24T05:30:00Z',
    step: 'calendar-terms',
    report: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(first.getAttribute('rel')).toBe('noopener');
  await expectAccessible();

  await person.selectOptions(screen.getByLabelText('Session'), 'healing');
  expect(screen.getByLabelText('Session')).toBe(document.activeElement);
  await person.selectOptions(await screen.findByLabelText('With whom?'), 'ravi');
  await person.click(await screen.findByRole('button', { name: /25 November, 1 free/ }));
  expect(slotsAsked.at(-1)).toMatchObject({ serviceId: 'healing', practitionerId: 'ravi' });
  await person.click(await time(/25 November/));
  await screen.findByRole('heading', { name: 'Your booking goes on in a new tab' });
  expect(steps()).toEqual([
    'sukoon:ready',
    'sukoon:service_selected',
    'sukoon:day_selected',
    'sukoon:time_selected',
    'sukoon:booking_opened',
  ]);
  expect(said.at(-1)?.payload).toEqual({
    serviceId: 'healing',
    startsAt: '2026-11-25T05:30:00Z',
  });
});

test('the page around is told when the session is booked, and then another one can be', async () => {
  reports = ['REPORT_STATE_HELD', 'REPORT_STATE_CONFIRMED'];
  const person = open('?service=meditation');
  expect(screen.queryByLabelText('Session')).toBeNull();
  const before = ((await time(/24 November/)) as HTMLAnchorElement).href;
  await person.click(await time(/24 November/));
  const heading = await screen.findByRole('heading', { name: /goes on in a new tab/ });
  expect(document.activeElement).toBe(heading);
  await expectAccessible();
  document.dispatchEvent(new Event('visibilitychange'));
  await screen.findByRole('heading', { name: 'Your time is held' });
  expect(screen.getByRole('link', { name: /^Open it again/ })).toHaveProperty('href', before);
  document.dispatchEvent(new Event('visibilitychange'));
  await screen.findByRole('heading', { name: 'Your session is booked' });
  await expectAccessible();
  expect(steps().slice(-2)).toEqual(['sukoon:booking_held', 'sukoon:event_scheduled']);
  await person.click(screen.getByRole('button', { name: 'Book another session' }));
  expect(steps().at(-1)).toBe('sukoon:closed');
  const after = ((await time(/24 November/)) as HTMLAnchorElement).href;
  const report = (href: string) => new URL(href).searchParams.get('report');
  expect(report(after)).not.toBe(report(before));
});

test('what can be filled in goes into the fragment alone', async () => {
  open();
  await time(/24 November/);
  (await time(/24 November/)).focus();
  hear('sukoon:prefill', { name: 'Asha Rao', email: 'asha@example.org' });
  const link = (await time(/24 November/)) as HTMLAnchorElement;
  expect(document.activeElement).toBe(link);
  const { href } = link;
  expect(new URL(href).hash).toBe('#name=Asha+Rao&email=asha%40example.org');
  expect(new URL(href).search).not.toContain('sha');
  said = [];
  hear('sukoon:hello');
  expect(said.map(({ event }) => event)).toEqual(['sukoon:ready', 'sukoon:resize']);
});

test('later days are asked for, and the focus stays', async () => {
  const person = open();
  await time(/24 November/);
  const later = screen.getByRole('button', { name: 'Later days' });
  await person.click(screen.getByRole('button', { name: 'Earlier' }));
  await person.click(later);
  await waitFor(() => expect(slotsAsked.at(-1)).toMatchObject({ fromDate: '2026-12-01' }));
  expect(slotsAsked).toHaveLength(2);
  expect(document.activeElement).toBe(later);
});

test('a week without a free time names the next one', async () => {
  slots = () => week(false);
  open();
  expect(await screen.findByText('No free times in these days')).toBeTruthy();
  expect(screen.getByRole('link', { name: /^Next free: Wed, 2 Dec, 11:00 am IST/ })).toBeTruthy();
  slots = () => Response.json({ days: [], timeZone: 'Asia/Kolkata', timeZoneLabel: 'IST' });
});

test('a failure says so and can be tried again', async () => {
  slots = () => new Response('upstream exploded', { status: 503 });
  const person = open();
  await screen.findByText('The free times could not be loaded');
  expect(document.body.textContent).not.toContain('exploded');
  await expectAccessible();
  slots = week;
  await person.click(screen.getByRole('button', { name: 'Try again' }));
  await time(/24 November/);
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Free times' }));
});

test('without a connection the times come when it is back', async () => {
  slots = () => {
    throw new TypeError('no network');
  };
  const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  open();
  await screen.findByText('You are offline');
  await expectAccessible();
  slots = week;
  online.mockReturnValue(true);
  fireEvent(window, new Event('online'));
  await time(/24 November/);
});

test('a package leads to its dates, and a session that is not offered to a choice', async () => {
  const person = open('?package=starter');
  const part = within(screen.getByTestId('widget'));
  expect(part.getByRole('heading', { name: 'Starter · ₹4,500' })).toBeTruthy();
  const link = part.getByRole<HTMLAnchorElement>('link', { name: /^Choose your dates/ });
  expect(new URL(link.href).searchParams.get('package')).toBe('starter');
  await expectAccessible();
  await person.click(link);
  await screen.findByRole('heading', { name: /goes on in a new tab/ });
  expect(said.at(-1)).toMatchObject({
    event: expect.any(String),
    payload: { packageId: 'starter' },
  });
  expect(slotsAsked).toEqual([]);
});

test('settings that are not taken are told to the page around', async () => {
  open('?service=levitation&primary=red&language=fr');
  await screen.findByText(/We don't offer this session/);
  const ignored = said.filter(({ event }) => event === 'sukoon:setting_ignored');
  const names = ignored.map(({ payload }) => payload.name);
  expect(names).toEqual(['service', 'language', 'primary']);
});

test('colours are set by script, as properties', async () => {
  open('?primary=7a1f4b&background=ffffff&text=202020');
  const { style, dataset } = document.documentElement;
  expect(dataset.theme).toBe('light');
  expect(style.getPropertyValue('--brand')).toBe('light-dark(#7a1f4b, #7a1f4b)');
  expect(style.getPropertyValue('--paper')).toBe('#ffffff');
});
