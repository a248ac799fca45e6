/** /join#key=… as a client sees it, with a server that a test plays. */
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BookingState, SessionMode } from '@/gen/booking/v1/booking_service_pb';
import {
  ClientJoinPageSchema,
  JoinKeyEnd,
  JoinPageService,
} from '@/gen/booking/v1/join_page_service_pb';
import { PaymentPageService } from '@/gen/booking/v1/payment_page_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { at } from '@/testing/booking-fixture';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { readAgainIn } from '../hooks/use-join-page';
import { knownJoinKey } from '../join-key';
import { ClientJoinPage } from './client-join-page';

const KEY = 'Ab_-'.repeat(11).slice(0, 43);
const BOOKING = 'bkg_0192f0c1f0c17000800000000000dd4a';
const NOW = new Date('2026-12-14T05:00:00Z');

type Page = MessageInitShape<typeof ClientJoinPageSchema>;

const WHOLE: Page = {
  bookingId: BOOKING,
  state: BookingState.CONFIRMED,
  sessions: [{ startsAt: at('2026-12-14T05:30:00Z'), endsAt: at('2026-12-14T06:30:00Z') }],
  sessionNumber: 1,
  practitionerName: 'Kavita Rao',
  mode: SessionMode.ONLINE,
  roomOpensAt: at('2026-12-14T05:20:00Z'),
  roomClosesAt: at('2026-12-14T08:30:00Z'),
};

let page: Page;
let failure: ConnectError | undefined;
/** The keys by which a new mail was asked for. */
let renewed: string[];

function open(hash = `#key=${KEY}`) {
  window.history.replaceState(null, '', `/join${hash}`);
  const transport = createRouterTransport(({ service }) => {
    service(JoinPageService, {
      openJoinPage: ({ joinKey }) => {
        if (failure) throw failure;
        if (joinKey !== KEY) throw refusal(Code.NotFound, 'BOOKING_NOT_FOUND');
        return { page: create(ClientJoinPageSchema, page) };
      },
    });
    service(PaymentPageService, {
      renewPageKey: ({ pageKey }) => {
        renewed.push(pageKey);
        return {};
      },
    });
  });
  const content = (
    <main>
      <ClientJoinPage />
    </main>
  );
  return renderApp(content, { path: `/join${hash}`, transport });
}

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: NOW });
  sessionStorage.clear();
  page = WHOLE;
  failure = undefined;
  renewed = [];
});

afterEach(() => {
  vi.useRealTimers();
});

test('the key leaves the address bar, and a reload of the tab still knows it', async () => {
  open();
  await screen.findByText(/14 December 2026/);
  expect(window.location.href).not.toContain(KEY);
  expect(JSON.stringify({ ...localStorage })).not.toContain(KEY);
  expect(knownJoinKey(window.location.hash)).toBe(KEY);
  // A key that was cut off is never taken for the last one.
  expect(knownJoinKey('#key=abc')).toBeUndefined();
});

test('before its time it says when, with whom, when the room opens and what to do', async () => {
  open();
  expect(await screen.findByText(/14 December 2026 at 11:00 am IST to 12:00 pm IST/)).toBeTruthy();
  expect(screen.getByText('With Kavita Rao')).toBeTruthy();
  expect(screen.getByRole('status').textContent).toContain('10 minutes before, at 10:50 am IST');
  expect(screen.queryByRole('link', { name: /Open the Meeting Room/ })).toBeNull();
  const call = screen.getByRole('link', { name: /^Call \+91/ });
  expect(call.getAttribute('href')).toMatch(/^tel:\+91/);
  await expectAccessible();
});

test('the room appears by itself when its time has come', async () => {
  vi.setSystemTime(new Date('2026-12-14T05:19:50Z'));
  open();
  await screen.findByRole('status');
  page = { ...WHOLE, roomUrl: 'https://meet.example/room' };
  await vi.advanceTimersByTimeAsync(16_000);
  const link = await screen.findByRole('link', { name: /Open the Meeting Room/ });
  expect(link.getAttribute('href')).toBe('https://meet.example/room');
  expect(link.getAttribute('rel')).toContain('noreferrer');
});

test('it is asked for often while it is due, and else every half a minute', () => {
  const of = (opensAt: string, room = '') => readAgainIn({ room, opensAt: at(opensAt) });
  expect(of('2026-12-14T05:00:01Z')).toBe(30_000);
  expect(of('2026-12-14T05:00:00Z')).toBe(3_000);
  expect(of('2026-12-14T05:00:00Z', 'https://meet.example/room')).toBe(30_000);
  expect(readAgainIn({ room: '', opensAt: undefined })).toBe(30_000);
});

test('a room that is not there in its time leads to the phone', async () => {
  vi.setSystemTime(new Date('2026-12-14T05:20:05Z'));
  open();
  expect((await screen.findByRole('status')).textContent).toBe('Opening the room…');
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await screen.findByText('The room is not ready yet')).toBeTruthy();
  expect(screen.getAllByRole('link', { name: /^Call \+91/ }).length).toBeGreaterThan(0);
});

test('in person it says where, and has nothing to open', async () => {
  page = {
    ...WHOLE,
    mode: SessionMode.IN_PERSON,
    location: '12 Lake Road',
    roomOpensAt: undefined,
  };
  open();
  expect(await screen.findByText('12 Lake Road')).toBeTruthy();
  expect(screen.queryByText("If It Doesn't Work")).toBeNull();
});

test('of a package it names the session that comes next, and the others', async () => {
  const session = (day: number, cancelled = false) => ({
    startsAt: at(`2026-12-${day}T05:30:00Z`),
    endsAt: at(`2026-12-${day}T06:30:00Z`),
    cancelled,
  });
  page = { ...WHOLE, sessions: [session(14), session(21, true), session(28)], sessionNumber: 3 };
  open();
  expect(await screen.findByText('Session 3 of 3')).toBeTruthy();
  expect(screen.getByText(/28 December 2026 at 11:00 am IST to/)).toBeTruthy();
  expect(screen.getByText(/21 December 2026/).closest('li')?.textContent).toContain('(cancelled)');
});

const GONE: Page = { bookingId: BOOKING, sessions: [], sessionNumber: 0 };

test.each([
  [{ ...GONE, state: BookingState.CANCELLED }, 'This session is cancelled'],
  [{ ...GONE, state: BookingState.RESCHEDULED }, 'This session was moved'],
  [{ ...GONE, state: BookingState.COMPLETED }, 'This session is over'],
  [{ ...GONE, state: BookingState.NO_SHOW }, 'This session is over'],
  [{ ...WHOLE, state: BookingState.HELD, sessionNumber: 0 }, 'This session is not confirmed yet'],
  [{ ...GONE, state: BookingState.EXPIRED }, 'This session was not confirmed'],
  [{ ended: JoinKeyEnd.RENEWED }, 'This link has ended'],
  [{ ended: JoinKeyEnd.OVER }, 'This link has ended'],
])('what does not take place says so and leads on', async (told: Page, title) => {
  page = told;
  open();
  expect(await screen.findByText(title)).toBeTruthy();
  expect(screen.getByRole('link', { name: /^Call \+91/ })).toBeTruthy();
  expect(screen.queryByRole('link', { name: /Open the Meeting Room/ })).toBeNull();
});

test('a booking that an account owns leads its owner to the sign-in', async () => {
  page = { bookingId: BOOKING, ended: JoinKeyEnd.ADOPTED };
  open();
  const link = await screen.findByRole('link', { name: 'Sign In to Join' });
  expect(link.getAttribute('href')).toBe(`/join/${BOOKING}`);
});

test('a key that a later mail has replaced leads to another mail', async () => {
  page = { ended: JoinKeyEnd.RENEWED };
  open();
  const ask = await screen.findByRole('button', { name: 'Mail Me a New Link' });
  expect(renewed).toEqual([]);
  await userEvent.setup({ advanceTimers: vi.advanceTimersByTime }).click(ask);
  expect(await screen.findByText('Please look into your mail')).toBeTruthy();
  expect(renewed).toEqual([KEY]);
  expect(knownJoinKey('')).toBeUndefined();
});

test.each([JoinKeyEnd.ADOPTED, JoinKeyEnd.OVER])(
  'the tab forgets a key that has ended (%s)',
  async (ended) => {
    page = { bookingId: BOOKING, ended };
    open();
    await screen.findByRole('link', { name: /^Call \+91/ });
    await waitFor(() => expect(knownJoinKey('')).toBeUndefined());
  },
);

test.each(['', '#key=abc', `#key=${'x'.repeat(43)}`])('%s is no address', async (hash) => {
  open(hash);
  expect(await screen.findByText('This address is not complete')).toBeTruthy();
  expect(screen.getByRole('link', { name: /^Call \+91/ })).toBeTruthy();
});

test('without an answer it says so, leads to the phone, and goes on by a press', async () => {
  failure = new ConnectError('away', Code.Unavailable);
  open();
  const again = await screen.findByRole('button', { name: 'Try again' });
  expect(screen.getByRole('link', { name: /^Call \+91/ })).toBeTruthy();
  failure = undefined;
  await userEvent.setup({ advanceTimers: vi.advanceTimersByTime }).click(again);
  expect(await screen.findByText(/14 December 2026/)).toBeTruthy();
});

test('a room that is open stays when a later answer fails', async () => {
  vi.setSystemTime(new Date('2026-12-14T05:25:00Z'));
  page = { ...WHOLE, roomUrl: 'https://meet.example/room' };
  open();
  await screen.findByRole('link', { name: /Open the Meeting Room/ });
  failure = new ConnectError('away', Code.Unavailable);
  await vi.advanceTimersByTimeAsync(31_000);
  await waitFor(() => expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy());
  expect(screen.getByRole('link', { name: /Open the Meeting Room/ })).toBeTruthy();
});

test('while it is read it has its room', () => {
  const { container } = open();
  expect(container.querySelector('[aria-busy], .rounded-card')).toBeTruthy();
});
