/** /account/waiting with a server that a test plays: entries, an offered time, and their states. */
import { Code } from '@connectrpc/connect';
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { WaitingOffer } from '@/gen/booking/v1/waiting_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { at, BOOKING_ID } from '@/testing/booking-fixture';
import { beginEach, openPage } from '@/testing/booking-page';
import { OwnSessionsServer, ownBooking } from '@/testing/own-sessions-server';
import { ASHA, beginAs } from '@/testing/played-client';
import { refusal } from '@/testing/refusal';
import { OFFER_ID, offerFixture, waitingFixture } from '@/testing/waiting-server';
import { heldWords } from '../../shared/waiting-offer';
import { OwnWaitingPage } from './own-waiting-page';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

let server: OwnSessionsServer;

beginEach({ user: ASHA });

beforeEach(() => {
  server = new OwnSessionsServer();
  server.waiting.list = [waitingFixture()];
});

function open(path = '/account/waiting') {
  const page = () => <OwnWaitingPage proof={() => null} />;
  return openPage(page, { path, transport: server.transport() });
}

const button = (name: string | RegExp) => screen.findByRole('button', { name });
const look = () => act(() => void window.dispatchEvent(new Event('visibilitychange')));
const notHeld = 'Wed, 25 Nov, 11:00 am IST is not held for you any more';

function offer(changes: Partial<WaitingOffer> | object = {}): void {
  server.waiting.list = [waitingFixture({ offer: offerFixture(changes) })];
}

/** A booking of 26 November, for which an earlier time is wanted and offered. */
function offerEarlier(): void {
  const startsAt = at('2026-11-26T05:30:00Z');
  server.coming = [ownBooking({ sessions: [{ startsAt, endsAt: at('2026-11-26T06:15:00Z') }] })];
  const wish = { serviceId: 'general-consultation', earlierThanBookingId: BOOKING_ID };
  const earlier = { wish, earlierThanAt: startsAt, offer: offerFixture() };
  server.waiting.list = [waitingFixture(earlier)];
}

test('an entry says what is waited for and since when; leaving asks first', async () => {
  const person = open();
  const entry = within(await screen.findByRole('article', { name: 'General Consultation' }));
  for (const words of ['Any day, any time of day', '3 hours before', 'Online', 'Anyone']) {
    expect(entry.getByText(words)).toBeTruthy();
  }
  expect(entry.getByText('Saturday, 21 November 2026')).toBeTruthy();
  await expectAccessible();
  await person.click(entry.getByRole('button', { name: /^Leave/ }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Leave the wait list?' }));
  await expectAccessible();
  await person.click(dialog.getByRole('button', { name: 'Stay on it' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(server.waiting.left).toEqual([]);

  await person.click(entry.getByRole('button', { name: /^Leave/ }));
  server.waiting.refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE')];
  await person.click(await button('Leave the wait list'));
  await screen.findByText('You are still on the list');
  await person.click(await button('Leave the wait list'));
  const said = await screen.findByText('You left the wait list for General Consultation');
  await waitFor(() => expect(document.activeElement?.contains(said)).toBe(true));
  await screen.findByText(/^You wait for nothing\./);
  await expectAccessible();
});

test('an entry that is gone already was left', async () => {
  const person = open();
  await person.click(await button(/^Leave/));
  server.waiting.list = [];
  await person.click(await button('Leave the wait list'));
  await screen.findByText('You left the wait list for General Consultation');
});

test('an offered time is on top, and is taken in the booking with all chosen', async () => {
  offer();
  open();
  const name = 'A time is free for you: General Consultation';
  const card = within(await screen.findByRole('article', { name }));
  expect(card.getByText('Wednesday, 25 November 2026, 11:00 am – 11:45 am IST')).toBeTruthy();
  expect(card.getByText('Online, with Meera Joshi')).toBeTruthy();
  expect(card.getByText('1:00 pm IST today')).toBeTruthy();
  const query = new URLSearchParams({
    service: 'general-consultation',
    slot: '2026-11-25T05:30:00Z',
    practitioner: 'lead',
    offer: OFFER_ID,
  });
  const href = card.getByRole('link', { name: 'Take this time' }).getAttribute('href');
  expect(href).toBe(`/booking-flow?${query.toString().replaceAll('%3A', ':')}`);
  await expectAccessible();
});

test.each([
  ['2026-11-22T07:30:00Z', '1:00 pm IST today'],
  ['2026-11-23T03:00:00Z', '8:30 am IST tomorrow'],
  ['2026-11-25T03:00:00Z', 'Wed, 25 Nov, 8:30 am IST'],
])('held until %s is "%s"', (until, words) => {
  const zone = { timeZone: 'Asia/Kolkata', label: 'IST' };
  expect(heldWords(new Date(until), zone, Date.now())).toBe(words);
});

test('a visitor in another zone reads the own time too', async () => {
  const resolved = { ...Intl.DateTimeFormat().resolvedOptions(), timeZone: 'Europe/London' };
  const zone = vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions');
  onTestFinished(() => zone.mockRestore());
  zone.mockReturnValue(resolved);
  offer();
  open();
  await screen.findByText(/your time: 5:30 am \(London\)/);
});

test('no thanks gives the time to the next person, and the entry stays', async () => {
  offer();
  const person = open();
  await person.click(await button('No thanks, give it to the next person'));
  const said = await screen.findByText('The time goes to the next person');
  await waitFor(() => expect(document.activeElement?.contains(said)).toBe(true));
  expect(server.waiting.declined).toEqual([OFFER_ID]);
  expect(screen.queryByText(/^Held for you/)).toBeNull();
  expect(screen.getByRole('article', { name: 'General Consultation' })).toBeTruthy();
  look();
  await waitFor(() => expect(screen.queryByText(notHeld)).toBeNull());
  await expectAccessible();
});

test('no thanks that does not arrive is said, and the time stays held', async () => {
  offer();
  const person = open();
  const decline = await button('No thanks, give it to the next person');
  server.waiting.refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE')];
  await person.click(decline);
  await screen.findByText('It is not given to the next person yet');
  expect(screen.getByText(/^Held for you/)).toBeTruthy();
  await expectAccessible();
  // The answer to the second press is lost after the time was given away, and a third is no mistake.
  server.waiting.lost = 1;
  await person.click(decline);
  await waitFor(() => expect(server.waiting.declined).toHaveLength(2));
  await person.click(await button('No thanks, give it to the next person'));
  await screen.findByText('The time goes to the next person');
  expect(server.waiting.declined).toEqual([OFFER_ID, OFFER_ID, OFFER_ID]);
});

test('an offer that ended meanwhile says so, and the entry stays', async () => {
  offer();
  open();
  await button('No thanks, give it to the next person');
  server.waiting.endOffer();
  look();
  await screen.findByText(notHeld);
  expect(screen.queryByText(/^Held for you/)).toBeNull();
  expect(screen.getByRole('article', { name: 'General Consultation' })).toBeTruthy();
  await expectAccessible();
});

test('an offer whose entry is gone as well is not said to stay on the list', async () => {
  offer();
  open();
  await button('No thanks, give it to the next person');
  server.waiting.list = [];
  look();
  await screen.findByText(notHeld);
  expect(screen.queryByText(/still on the wait list/)).toBeNull();
  expect(screen.getByRole('link', { name: 'Your sessions' })).toBeTruthy();
  await expectAccessible();
});

test('an offer whose time is over is none', async () => {
  offer({ heldUntilAt: at('2026-11-22T05:00:00Z') });
  open();
  await screen.findByRole('article', { name: 'General Consultation' });
  expect(screen.queryByText('Take this time')).toBeNull();
});

test('taking an earlier time moves the session, after one press more', async () => {
  offerEarlier();
  const person = open();
  expect(await screen.findByText('In place of Thu, 26 Nov, 11:00 am IST.')).toBeTruthy();
  await person.click(await button('Take this time'));
  await screen.findByRole('dialog', { name: 'Move your session to this time?' });
  await expectAccessible();
  expect(server.moves).toEqual([]);
  server.lost = 1;
  await person.click(await button('Move to Wed, 25 Nov, 11:00 am IST'));
  await screen.findByText("We don't know yet whether it is moved");
  await person.click(await button('Move to Wed, 25 Nov, 11:00 am IST'));
  const said = await screen.findByText('Moved to Wed, 25 Nov, 11:00 am IST');
  await waitFor(() => expect(document.activeElement?.contains(said)).toBe(true));
  const [first, second] = server.moves;
  expect(first).toMatchObject({ bookingId: BOOKING_ID, sessionNumber: 0 });
  expect(first?.shownStartsAt).toMatchObject(at('2026-11-26T05:30:00Z'));
  expect(first?.startsAt).toMatchObject(at('2026-11-25T05:30:00Z'));
  expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
  const link = screen.getByRole('link', { name: 'See the session' });
  expect(link.getAttribute('href')).toBe(`/account/sessions/${BOOKING_ID}`);
  await expectAccessible();
});

test.each([
  [Code.Aborted, 'SLOT_TAKEN', notHeld],
  [Code.FailedPrecondition, 'OVERLAPS_OWN_SESSION', /^You have another session at Wed, 25 Nov/],
  [Code.FailedPrecondition, 'MOVE_TOO_LATE', 'It is too late to move it'],
  [Code.Aborted, 'CHANGED_SINCE', 'Your session has changed meanwhile'],
])('an earlier time that is refused with %s %s says so', async (code, reason, words) => {
  offerEarlier();
  const person = open();
  await person.click(await button('Take this time'));
  server.refusals = [refusal(code, reason)];
  if (reason === 'SLOT_TAKEN') server.waiting.endOffer();
  await person.click(await button('Move to Wed, 25 Nov, 11:00 am IST'));
  await screen.findByText(words);
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.getByRole('article', { name: 'General Consultation' })).toBeTruthy();
  await expectAccessible();
});

test('an empty list leads to what can be booked', async () => {
  server.waiting.list = [];
  open();
  await screen.findByText(/^You wait for nothing\./);
  expect(screen.getByRole('link', { name: 'See our services' })).toBeTruthy();
  await expectAccessible();
});

test('a list that cannot be read has a way on, and one of an ended session leads to signing in', async () => {
  server.waiting.down = true;
  const person = open();
  const retry = await button('Try again');
  server.waiting.down = false;
  await person.click(retry);
  await screen.findByRole('article', { name: 'General Consultation' });
  server.waiting.unreadable = refusal(Code.Unauthenticated, 'UNAUTHENTICATED');
  look();
  expect(await button('Sign In')).toBeTruthy();
  expect(screen.queryByRole('article')).toBeNull();
});

test('a visitor signs in first, and comes back to what was wanted', async () => {
  beginAs(undefined);
  open('/account/waiting?service=meditation&practitioner=ravi');
  const link = screen.getByRole('link', { name: 'Sign In' });
  const path = encodeURIComponent('/account/waiting?service=meditation&practitioner=ravi');
  expect(link.getAttribute('href')).toBe(`/sign-in?return=${path}`);
  await expectAccessible();
});
