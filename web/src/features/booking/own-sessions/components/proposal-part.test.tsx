/** The practice asks for another time: on the list and on the booking's page, with a played server. */
import { create } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import {
  GraceUseSchema,
  HeldOfferSchema,
  MoveProposalSchema,
} from '@/gen/booking/v1/booking_service_pb';
import { GraceSchema } from '@/gen/common/v1/cancellation_pb';
import { expectAccessible } from '@/testing/accessible';
import { at, BOOKING_ID, noticeOf, slotsFixture } from '@/testing/booking-fixture';
import { beginEach, openPage, type Person } from '@/testing/booking-page';
import { OwnSessionsServer, ownBooking, ownBookingId } from '@/testing/own-sessions-server';
import { ASHA } from '@/testing/played-client';
import { rupees } from '@/testing/receipt-fixture';
import { refusal } from '@/testing/refusal';
import { OwnSessionPage } from './own-session-page';
import { OwnSessionsPage } from './own-sessions-page';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

const QUESTION =
  "We can't hold this session on Tue, 24 Nov, 11:00 am IST. Choose another time, or take everything back. We are sorry for the trouble.";
const [TUESDAY, WEDNESDAY, FRIDAY] = [
  'Tue, 1 Dec, 11:00 am IST',
  'Wed, 2 Dec, 11:00 am IST',
  'Fri, 4 Dec, 11:00 am IST',
] as const;

let server: OwnSessionsServer;

beginEach({ user: ASHA });

const moveProposal = create(MoveProposalSchema, {
  sessionNumber: 1,
  chooseUntilAt: at('2026-11-23T05:30:00Z'),
});

const day = (date: number) => new Date(`2026-12-0${date}T05:30:00Z`);

beforeEach(() => {
  server = new OwnSessionsServer();
  server.coming = [ownBooking({ moveProposal })];
  server.suggested = [day(1), day(2), day(3)];
});

function open(hash = ''): Person {
  const page = () => <OwnSessionPage bookingId={BOOKING_ID} />;
  const path = `/account/sessions/${BOOKING_ID}${hash}`;
  return openPage(page, { path, transport: server.transport() });
}

function openList(): Person {
  const path = '/account/sessions';
  return openPage(() => <OwnSessionsPage />, { path, transport: server.transport() });
}

const button = (name: string) => screen.findByRole('button', { name });
const question = () => screen.findByRole('region', { name: 'Please choose another time' });

test('it says why, what can be done and until when, with three times to choose from', async () => {
  open();
  expect(await screen.findByText(QUESTION)).toBeTruthy();
  const until = /^If you choose nothing until Mon, 23 Nov, 11:00 am IST, all of your money comes/;
  expect(screen.getByText(until)).toBeTruthy();
  const times = within(await screen.findByRole('group', { name: 'Free times' }));
  expect(times.getAllByRole('button')).toHaveLength(3);
  expect(screen.queryByRole('button', { name: /^Move to/ })).toBeNull();
  // Nothing of the policy's sums stands beside it.
  expect(screen.queryByText("Can't make it?")).toBeNull();
  await expectAccessible();
});

test('one tap and a second press move it', async () => {
  const person = open();
  await person.click(await button(WEDNESDAY));
  expect(server.moves).toEqual([]);
  await expectAccessible();
  await person.click(await button(`Move to ${WEDNESDAY}`));
  expect(await screen.findByText(`Moved to ${WEDNESDAY}`)).toBeTruthy();
  expect(server.moves).toHaveLength(1);
  expect(screen.queryByText(QUESTION)).toBeNull();
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Moved to'));
  await expectAccessible();
});

test('a choice that was done without an answer is told once the next look finds it', async () => {
  const person = open();
  await person.click(await button(WEDNESDAY));
  server.lost = 1;
  await person.click(await button(`Move to ${WEDNESDAY}`));
  expect(await screen.findByText(`Moved to ${WEDNESDAY}`)).toBeTruthy();
  expect(screen.queryByText(QUESTION)).toBeNull();
  expect(server.moves).toHaveLength(1);
});

test('the keyboard finds the times, then the press, then the other ways', async () => {
  const person = open();
  const first = await button(TUESDAY);
  await person.click(first);
  first.focus();
  const names: (string | null)[] = [];
  for (let step = 0; step < 5; step += 1) {
    await person.tab();
    names.push(document.activeElement?.textContent ?? null);
  }
  expect(names.slice(2)).toEqual([`Move to ${TUESDAY}`, 'Another time', 'Take everything back']);
  await person.tab({ shift: true });
  await person.tab({ shift: true });
  await person.keyboard('{Enter}');
  expect(await screen.findByText(`Moved to ${TUESDAY}`)).toBeTruthy();
});

test('a time that is gone at the press says so, and the three are read anew', async () => {
  const person = open();
  await person.click(await button(TUESDAY));
  server.suggested = [day(2), day(3), day(4)];
  server.refusals = [refusal(Code.Aborted, 'SLOT_TAKEN')];
  await person.click(await button(`Move to ${TUESDAY}`));
  expect(await screen.findByText(`${TUESDAY} was just taken`)).toBeTruthy();
  expect(await button(FRIDAY)).toBeTruthy();
  expect(screen.queryByRole('button', { name: `Move to ${TUESDAY}` })).toBeNull();
  await expectAccessible();
  await person.click(await button(FRIDAY));
  expect(screen.queryByText(`${TUESDAY} was just taken`)).toBeNull();
  expect(await button(`Move to ${FRIDAY}`)).toBeTruthy();
});

test('a link has chosen a time, and opening it moves nothing', async () => {
  const person = open('#choose=2026-12-02T05:30:00Z');
  expect((await button(WEDNESDAY)).getAttribute('aria-pressed')).toBe('true');
  expect(server.moves).toEqual([]);
  await person.click(await button(`Move to ${WEDNESDAY}`));
  expect(await screen.findByText(`Moved to ${WEDNESDAY}`)).toBeTruthy();
});

test('the time of a link may be free and none of the three', async () => {
  server.moveSlots = slotsFixture([{ date: '2026-12-04', starts: [{ hour: 11 }] }]);
  open('#choose=2026-12-04T05:30:00Z');
  expect((await button(FRIDAY)).getAttribute('aria-pressed')).toBe('true');
  const times = within(screen.getByRole('group', { name: 'Free times' }));
  expect(times.getAllByRole('button')).toHaveLength(4);
});

test.each([
  ['2026-12-04T05:30:00Z', `${FRIDAY} is not free any more`],
  ['2026-11-20T05:30:00Z', 'Fri, 20 Nov, 11:00 am IST is not free any more'],
])('the time of a link that is gone (%s) says so, beside the fresh three', async (time, told) => {
  open(`#choose=${time}`);
  expect(await screen.findByText(told)).toBeTruthy();
  const times = within(screen.getByRole('group', { name: 'Free times' }));
  expect(times.getAllByRole('button', { pressed: false })).toHaveLength(3);
  expect(screen.queryByRole('button', { name: /^Move to/ })).toBeNull();
});

test('another time is found in the calendar, and everything can be taken back', async () => {
  const person = open();
  await person.click(await button('Another time'));
  const dialog = within(await screen.findByRole('dialog', { name: 'Move this session' }));
  expect(dialog.getByText(/It doesn't count as one of your moves/)).toBeTruthy();
  await person.click(dialog.getByRole('button', { name: 'Keep this time' }));
  await person.click(await button('Take everything back'));
  await person.click(await button('Cancel and get ₹1,500 back'));
  expect(await screen.findByText('Your session is being cancelled')).toBeTruthy();
  expect(screen.queryByText(QUESTION)).toBeNull();
  await person.click(await button('Undo'));
  expect(await screen.findByText(QUESTION)).toBeTruthy();
});

test('times that cannot be read leave the other ways, and are asked for again', async () => {
  server.unmovable = refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE');
  const person = open();
  await screen.findByText("We can't say which times are free");
  expect(await button('Take everything back')).toBeTruthy();
  await expectAccessible();
  server.unmovable = undefined;
  await person.click(await button('Try again'));
  expect(await button(TUESDAY)).toBeTruthy();
});

test('where nothing near is free it says so', async () => {
  server.suggested = [];
  open();
  expect(await screen.findByText(/^No time near it is free just now/)).toBeTruthy();
});

test('in the list it comes first, and goes to its place once it is answered', async () => {
  const other = ownBooking({ bookingId: ownBookingId(2), serviceTitle: 'Meditation' });
  server.coming = [other, ...server.coming];
  const person = openList();
  const asked = await question();
  const headings = screen.getAllByRole('heading', { level: 2 }).map((one) => one.textContent);
  expect(headings).toEqual(['Waiting for your choice', 'Next']);
  expect(within(asked).getByText(QUESTION)).toBeTruthy();
  expect(screen.getByText('Needs another time')).toBeTruthy();
  await expectAccessible();
  await person.click(await button(TUESDAY));
  await person.click(await button(`Move to ${TUESDAY}`));
  expect(await screen.findByText(`Moved to ${TUESDAY}`)).toBeTruthy();
  await screen.findByRole('heading', { level: 2, name: 'Later' });
  expect(screen.queryByText('Waiting for your choice')).toBeNull();
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Meditation'));
});

test('a time that the wait list holds is named above the list, as long as it is held', async () => {
  server.heldOffer = create(HeldOfferSchema, {
    offerId: 'blk_1',
    serviceTitle: 'Meditation',
    startsAt: at('2026-12-07T09:30:00Z'),
    heldUntilAt: at('2026-11-22T08:50:00Z'),
  });
  openList();
  const words = 'A time is held for you: Mon, 7 Dec, 3:00 pm IST until 2:20 pm IST today';
  expect(await screen.findByText(words)).toBeTruthy();
  const link = screen.getByRole('link', { name: 'See it on your wait list' });
  expect(link.getAttribute('href')).toBe('/account/waiting');
  await expectAccessible();
});

test('an offer that is over is not named', async () => {
  const over = { startsAt: at('2026-12-07T09:30:00Z'), heldUntilAt: at('2026-11-22T05:29:00Z') };
  server.heldOffer = create(HeldOfferSchema, over);
  openList();
  await question();
  expect(screen.queryByText(/A time is held for you/)).toBeNull();
});

test('what comes back by grace is said in the dialog, and the rule beside the policy', async () => {
  const grace = create(GraceSchema, { times: 1, months: 6, refundPercent: 100 });
  server.coming = [ownBooking({ cancellationPolicy: { ...noticeOf(24), grace } })];
  server.grace = create(GraceUseSchema, {
    refund: rupees(150_000n),
    againAt: at('2027-04-30T20:00:00Z'),
  });
  const person = open();
  const rule = 'Once in 6 months you can cancel late and still get 100% back.';
  expect(await screen.findByText(rule)).toBeTruthy();
  await person.click(await button('Cancel this session'));
  const words = '₹1,500 back: your free late cancellation. You have one again from 1 May 2027.';
  expect(await screen.findByText(words)).toBeTruthy();
  expect(await button('Cancel and get ₹1,500 back')).toBeTruthy();
});
