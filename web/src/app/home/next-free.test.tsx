/** The next free time of the first screen: read again, and a plain link where there is none. */
import { act, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { bookingSlotLink } from '@/features/catalogue/api/booking-links';
import { NextFreeLink } from '@/features/home/components/next-free';
import { REFRESH_MS } from '@/features/home/hooks/use-next-free';
import { renderApp } from '@/testing/render-app';

const SERVICE = 'general-consultation';

/** What booking answers: undefined without a free time, and null for no answer. */
let next: string | undefined | null;
let asked: URL[];

beforeEach(() => {
  next = undefined;
  asked = [];
  vi.mocked(fetch).mockImplementation(async (address) => {
    const url = new URL(String(address), 'http://here');
    if (!url.pathname.endsWith('/ListSlots')) throw new TypeError('no network in tests');
    asked.push(url);
    if (next === null) return new Response('', { status: 503 });
    return Response.json(next ? { nextAvailableAt: next } : {});
  });
});

function open(): void {
  renderApp(<NextFreeLink slotLink={bookingSlotLink} />);
}

function link(): HTMLAnchorElement {
  return screen.getByRole('link');
}

/** Noon in the practice, three days from now, so that it is not called today or tomorrow. */
function later(): Date {
  const at = new Date(Date.now() + 3 * 86_400_000);
  at.setUTCHours(6, 30, 0, 0);
  return at;
}

test('it says the next free time and leads to its booking', async () => {
  const at = later();
  next = at.toISOString();
  open();
  await screen.findByText(/^Next: .* 12:00 pm IST$/);
  expect(link().textContent).toContain('General Consultation, 45 min, ₹500');
  const to = new URL(link().href);
  expect(to.pathname).toBe('/booking-flow');
  expect(to.searchParams.get('service')).toBe(SERVICE);
  expect(to.searchParams.get('slot')).toBe(at.toISOString());
  expect(JSON.parse(asked[0]?.searchParams.get('message') ?? '')).toMatchObject({
    serviceId: SERVICE,
  });
});

test('until it is known, and without scripts, it leads to the free times', () => {
  next = later().toISOString();
  open();
  expect(link().textContent).toContain('See free times');
  expect(link().getAttribute('href')).toBe(`/service/${SERVICE}#times`);
});

for (const [name, answer] of [
  ['nothing is free', undefined],
  ['there is no answer', null],
] as const) {
  test(`where ${name} it leads to the free times`, async () => {
    next = answer;
    open();
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    await vi.waitFor(() => expect(document.querySelector('.animate-pulse-soft')).toBeNull());
    expect(link().textContent).toContain('See free times');
    expect(link().getAttribute('href')).toBe(`/service/${SERVICE}#times`);
    expect(screen.queryByText(/^Next/)).toBeNull();
  });
}

test('a time that was left on the screen is asked for again', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    next = later().toISOString();
    open();
    await screen.findByText(/12:00 pm IST$/);
    const hour = later();
    hour.setUTCHours(7, 30);
    next = hour.toISOString();
    await act(async () => void vi.advanceTimersByTime(REFRESH_MS));
    await screen.findByText(/1:00 pm IST$/);
    hour.setUTCHours(8, 30);
    next = hour.toISOString();
    act(() => void document.dispatchEvent(new Event('visibilitychange')));
    await screen.findByText(/2:00 pm IST$/);
  } finally {
    vi.useRealTimers();
  }
});
