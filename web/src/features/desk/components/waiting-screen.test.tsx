/** The wait list at the desk, with a played server: its order, its words, its acts and who has it. */
import { Code } from '@connectrpc/connect';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { SessionMode } from '@/gen/booking/v1/booking_service_pb';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { at, slotsFixture } from '@/testing/booking-fixture';
import { DeskServer, deskBookingId } from '@/testing/desk-server';
import { practiceFixture, practitionersFixture } from '@/testing/practice-fixture';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { offerFixture, waitingClient } from '@/testing/wait-list';
import { MemberContext } from '../member';
import { WaitingScreen } from './waiting-screen';

vi.mock('@/lib/auth', () => ({ signOut: () => undefined }));

/** Noon of 24 November, in India. */
const NOW = Date.parse('2026-11-24T06:30:00Z');

let server: DeskServer;

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: NOW });
  server = new DeskServer();
  server.waitList.entries = [waitingClient(1), waitingClient(2, { firstName: 'Ravi' })];
  server.slots = slotsFixture([
    { date: '2026-11-25', starts: [{ hour: 16 }] },
    { date: '2026-11-26', starts: [{ hour: 11 }, { hour: 12 }] },
  ]);
});

/** A practice in which two give each service. */
function withTwo() {
  const { practice, services, ...others } = practiceFixture();
  const practitioners = practitionersFixture();
  const given = services.map((service) => ({ ...service, practitioners }));
  return { ...others, practice: { ...practice, practitioners }, services: given };
}

function open(role = StaffRole.FRONT_DESK, snapshot = practiceFixture()) {
  renderApp(
    <MemberContext value={{ userId: 'own', role }}>
      <main>
        <WaitingScreen />
      </main>
      <Toaster />
    </MemberContext>,
    { path: '/desk/waiting', transport: server.transport(), snapshot },
  );
  return userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
}

type Person = ReturnType<typeof open>;

const card = async (name: string) => within(await screen.findByRole('article', { name }));

async function openOffer(person: Person, name = '1. Asha') {
  await person.click((await card(name)).getByRole('button', { name: 'Offer a time…' }));
  return within(await screen.findByRole('dialog', { name: /^Offer a time to/ }));
}

/** Until the button that does it. */
async function choose(person: Person) {
  const dialog = await openOffer(person);
  await person.click(await dialog.findByRole('radio', { name: 'Thu 26 Nov' }));
  await person.click(dialog.getByRole('radio', { name: '11:00 am' }));
  const button = dialog.getByRole('button', { name: 'Offer Thu, 26 Nov, 11:00 am to Asha' });
  return { dialog, button, why: dialog.getByLabelText(/^Why this client comes first/) };
}

test('the clients stand in the order of offers, with what is offered and what lapsed', async () => {
  server.waitList.entries = [
    waitingClient(3, { firstName: 'Hari', offersLapsed: 2, waiting: { offer: offerFixture() } }),
    waitingClient(1, {
      waiting: {
        wish: { mode: SessionMode.ONLINE, earlierThanBookingId: deskBookingId(7) },
        earlierThanAt: at('2026-12-03T05:30:00Z'),
        practitionerName: 'Meera Joshi',
      },
    }),
  ];
  open(StaffRole.OWNER, withTwo());
  const first = await card('1. Hari');
  first.getByText('Meditation, online, with anyone');
  first.getByText('Any day, at any time, until 19 Jan');
  first.getByText(/^Since Fri, 20 Nov, 11:00 am/);
  first.getByText('Offered Thu, 26 Nov, 11:00 am with Meera Joshi, held until 1:05 pm');
  first.getByText('2 offers lapsed');
  expect(first.queryByRole('button', { name: 'Offer a time…' })).toBeNull();
  const second = await card('2. Asha');
  second.getByText('Meditation, online, with Meera Joshi');
  second.getByText('Earlier than Thu, 3 Dec, 11:00 am');
  const way = second.getByRole('link', { name: 'Open the booking' });
  expect(way.getAttribute('href')).toBe(`/desk/bookings/${deskBookingId(7)}`);
  await expectAccessible();
});

test('a time is offered out of the order, with client, time and reason, once', async () => {
  server.lost = 1;
  const person = open();
  const { dialog, button, why } = await choose(person);
  await expectAccessible();
  await person.click(button);
  dialog.getByText('Say why, in a word or two');
  expect(server.waitList.offers).toHaveLength(0);
  await person.type(why, ' Called twice ');
  await person.click(button);
  await vi.advanceTimersByTimeAsync(1_000);
  await screen.findByText('Thu, 26 Nov, 11:00 am is offered to Asha');
  screen.getByText('It is held until 1:05 pm.');
  expect(screen.queryByRole('dialog')).toBeNull();
  const [asked] = server.waitList.offers;
  expect(server.waitList.offers).toHaveLength(1);
  expect(asked).toMatchObject({ waitingId: 'wai_1', practitionerId: '' });
  expect(asked).toMatchObject({ reason: 'Called twice', startsAt: at('2026-11-26T05:30:00Z') });
  await (await card('1. Asha')).findByText(/^Offered Thu, 26 Nov/);
});

test.each([
  [Code.Aborted, 'SLOT_TAKEN', 'That time was just taken'],
  [Code.FailedPrecondition, 'SLOT_PAST', 'That time has passed'],
  [Code.FailedPrecondition, 'SLOT_NOT_OFFERED', 'That time cannot be offered'],
  [Code.FailedPrecondition, 'OVERLAPS_OWN_SESSION', 'The client has another session then'],
  [Code.FailedPrecondition, 'HAS_OFFER', 'A time is offered to this client already'],
  [Code.InvalidArgument, 'INVALID_REASON', 'The reason is missing'],
  [Code.NotFound, 'WAITING_NOT_FOUND', 'The client is not on the list any more'],
  [Code.PermissionDenied, 'ROLE_NOT_ALLOWED', 'Your role does not allow this'],
])('an offer that is refused (%i %s) says why, and the list is read again', async (...refused) => {
  const [code, reason, title] = refused;
  server.refusals = [refusal(code, reason)];
  const person = open();
  const { button, why } = await choose(person);
  const { reads } = server.waitList;
  await person.type(why, 'Called twice');
  await person.click(button);
  await screen.findByText(title);
  await waitFor(() => expect(server.waitList.reads).toBe(reads + 1));
  await expectAccessible();
});

test('without any answer it is not sure, and Check reads what is true', async () => {
  server.lost = 5;
  const person = open();
  const { dialog, button, why } = await choose(person);
  await person.type(why, 'Called twice');
  await person.click(button);
  await vi.advanceTimersByTimeAsync(16_000);
  await dialog.findByText('Not sure whether it was done');
  await person.click(dialog.getByRole('button', { name: 'Check' }));
  await (await card('1. Asha')).findByText(/^Offered Thu, 26 Nov/);
  expect(server.waitList.offers).toHaveLength(1);
});

test('for an earlier time than that of a booking only earlier ones are shown', async () => {
  const wish = { serviceId: 'meditation', practitionerId: 'ravi', mode: SessionMode.ONLINE };
  const earlierThanAt = at('2026-11-26T06:00:00Z');
  server.waitList.entries = [waitingClient(1, { waiting: { wish, earlierThanAt } })];
  const person = open();
  const dialog = await openOffer(person);
  await person.click(await dialog.findByRole('radio', { name: 'Thu 26 Nov' }));
  dialog.getByRole('radio', { name: '11:00 am' });
  expect(dialog.queryByRole('radio', { name: '12:00 pm' })).toBeNull();
  await person.click(dialog.getByRole('button', { name: 'Later days' }));
  await dialog.findByRole('button', { name: 'Earlier days' });
});

test('where several give the service, one of them is chosen', async () => {
  const person = open(StaffRole.ADMIN, withTwo());
  const { dialog, why } = await choose(person);
  await person.click(dialog.getByRole('radio', { name: 'Ravi Menon' }));
  expect(dialog.queryByRole('button', { name: /^Offer Thu/ })).toBeNull();
  await person.click(await dialog.findByRole('radio', { name: '4:00 pm' }));
  await person.type(why, 'Called twice');
  await person.click(dialog.getByRole('button', { name: 'Offer Wed, 25 Nov, 4:00 pm to Asha' }));
  await waitFor(() => expect(server.waitList.offers).toHaveLength(1));
  expect(server.waitList.offers[0]?.practitionerId).toBe('ravi');
});

test('a client is taken off the list for a reason, after a second press', async () => {
  const person = open();
  const first = await card('2. Ravi');
  await person.click(first.getByRole('button', { name: 'Take off the list…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Take Ravi off the list' }));
  await expectAccessible();
  const button = dialog.getByRole('button', { name: 'Take Ravi off the list' });
  await person.click(button);
  dialog.getByText('Say why, in a word or two');
  await person.type(dialog.getByLabelText(/^Why/), 'Asked for it by phone');
  server.refusals = [refusal(Code.PermissionDenied, 'STAFF_ONLY')];
  await person.click(button);
  await dialog.findByText('You are no member of the practice any more');
  await person.click(button);
  await screen.findByText('Ravi is off the wait list');
  expect(server.waitList.ended).toMatchObject([
    { waitingId: 'wai_2', reason: 'Asked for it by phone' },
  ]);
  await waitFor(() => expect(screen.getAllByRole('article')).toHaveLength(1));
});

test('more than a page is shown when it is asked for, and the focus goes to the first of it', async () => {
  server.waitList.fits = 1;
  const person = open();
  await card('1. Asha');
  expect(screen.getAllByRole('article')).toHaveLength(1);
  await person.click(screen.getByRole('button', { name: 'Show more' }));
  const second = await card('2. Ravi');
  const act = second.getByRole('button', { name: 'Offer a time…' });
  await waitFor(() => expect(document.activeElement).toBe(act));
  expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
});

test('an empty list says so, and one that cannot be read offers to read it again', async () => {
  server.waitList.entries = [];
  server.down = true;
  const person = open();
  await screen.findByText('The wait list cannot be read right now');
  await expectAccessible();
  server.down = false;
  await person.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText('No client waits for a time.');
  await expectAccessible();
});

test('a practitioner is shown no list, and it is not asked for', async () => {
  open(StaffRole.PRACTITIONER);
  screen.getByText('Owners, admins and the front desk keep it.');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(server.waitList.reads).toBe(0);
  await expectAccessible();
});
