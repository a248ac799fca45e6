/** "I'm running late", with a server that a test plays. */
import { Code } from '@connectrpc/connect';
import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { BookingState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { BOOKING_ID, packageFixture } from '@/testing/booking-fixture';
import { beginEach, openPage, type Person } from '@/testing/booking-page';
import { OwnSessionsServer, ownBooking } from '@/testing/own-sessions-server';
import { ASHA } from '@/testing/played-client';
import { refusal } from '@/testing/refusal';
import { OwnSessionPage } from './own-session-page';
import { OwnSessionsPage } from './own-sessions-page';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

let server: OwnSessionsServer;

// Half an hour before its start.
beginEach({ user: ASHA, now: '2026-11-24T05:00:00Z' });

beforeEach(() => {
  server = new OwnSessionsServer();
  server.coming = [ownBooking()];
});

function open(): Person {
  const page = () => <OwnSessionPage bookingId={BOOKING_ID} />;
  const path = `/account/sessions/${BOOKING_ID}`;
  return openPage(page, { path, transport: server.transport() });
}

const button = (name: string) => screen.findByRole('button', { name });

test('one tap tells the practice, another word takes its place, and it can be taken back', async () => {
  const person = open();
  await person.click(await button('10 minutes'));
  const said = await screen.findByText('You told the practice: 10 minutes late.');
  expect(said.getAttribute('role')).toBe('status');
  const pressed = await button('10 minutes');
  expect(pressed.getAttribute('aria-pressed')).toBe('true');
  await expectAccessible();
  await person.click(await button('15 minutes'));
  await screen.findByText('You told the practice: 15 minutes late.');
  await person.click(await button("I'm on time after all"));
  await waitFor(() => expect(screen.queryByText(/^You told the practice/)).toBeNull());
  const part = screen.getByRole('region', { name: "I'm running late" });
  expect(document.activeElement).toBe(part);
  expect(server.late).toEqual([
    { sessionNumber: 0, minutes: 10 },
    { sessionNumber: 0, minutes: 15 },
    { sessionNumber: 0, minutes: 0 },
  ]);
  await expectAccessible();
});

test('the card of what comes next has it, too', async () => {
  const person = openPage(() => <OwnSessionsPage />, {
    path: '/account/sessions',
    transport: server.transport(),
  });
  await person.click(await button('5 minutes'));
  await screen.findByText('You told the practice: 5 minutes late.');
  await expectAccessible();
});

test('of a package it is told of the session that begins', async () => {
  const times = ['2026-11-17T05:30:00Z', '2026-11-24T05:30:00Z', '2026-12-01T05:30:00Z'];
  const starter = packageFixture(times.map((time) => new Date(time)));
  const paid = { state: BookingState.CONFIRMED, paymentState: PaymentState.PAID };
  server.coming = [{ ...starter, ...paid }];
  const person = open();
  await person.click(await button('5 minutes'));
  await screen.findByText('You told the practice: 5 minutes late.');
  expect(server.late).toEqual([{ sessionNumber: 2, minutes: 5 }]);
});

test('what does not arrive is said, and can be told again', async () => {
  const person = open();
  const five = await button('5 minutes');
  server.refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE')];
  await person.click(five);
  await screen.findByText("The practice doesn't know yet");
  await expectAccessible();
  await person.click(await button('Try again'));
  await screen.findByText('You told the practice: 5 minutes late.');
});

test.each([
  ['more than an hour before', '2026-11-24T04:29:00Z', false],
  ['an hour before', '2026-11-24T04:30:00Z', true],
  ['while it runs', '2026-11-24T06:14:00Z', true],
  ['once it is over', '2026-11-24T06:15:00Z', false],
])('it can be told %s: %s', async (_case, now, isThere) => {
  vi.setSystemTime(new Date(now));
  open();
  await screen.findByRole('heading', { name: 'General Consultation' });
  expect(screen.queryByText("I'm running late") !== null).toBe(isThere);
});
