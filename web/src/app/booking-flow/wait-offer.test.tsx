/** Booking a time of the wait list, which is held for the client, with a server that a test plays. */
import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { SessionMode } from '@/gen/booking/v1/booking_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { at } from '@/testing/booking-fixture';
import { address, beginEach, openPage, type Person } from '@/testing/booking-page';
import { BookingServer } from '@/testing/booking-server';
import { ASHA } from '@/testing/played-client';
import { practiceFixture, practitionersFixture } from '@/testing/practice-fixture';
import { OFFER_ID, offerFixture, waitingFixture } from '@/testing/waiting-server';
import BookingFlowPage from '../routes/booking-flow';
// Loaded with the tests, so that none of them waits for it.
import './schedule-screen';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

const SLOT = '2026-11-24T05:30:00Z';
const FLOW =
  '/booking-flow?service=general-consultation' +
  `&slot=${SLOT}&practitioner=lead&offer=${OFFER_ID}`;

let server: BookingServer;

beginEach({ user: ASHA });

beforeEach(() => {
  server = new BookingServer();
  // Others find it taken.
  server.taken = new Set([11]);
  const wish = { serviceId: 'general-consultation', mode: SessionMode.IN_PERSON };
  const times = { startsAt: at(SLOT), endsAt: at('2026-11-24T06:15:00Z') };
  server.waiting.list = [waitingFixture({ wish, offer: offerFixture(times) })];
});

function open(several = false): Person {
  const snapshot = practiceFixture();
  const practitioners = several ? practitionersFixture() : [];
  snapshot.services = snapshot.services.map((service) => ({ ...service, practitioners }));
  return openPage(BookingFlowPage, { path: FLOW, snapshot, transport: server.transport() });
}

const chosen = () => document.querySelector<HTMLInputElement>('[data-testid="times"] :checked');
const GONE = 'That time is not held for you any more';

async function toPayment(person: Person) {
  server.taken = new Set();
  await person.click(screen.getByLabelText('I agree to these simple terms'));
  await person.click(screen.getByRole('button', { name: 'Continue to Payment' }));
  await screen.findByRole('heading', { level: 1, name: 'Complete Your Payment' });
}

test.each([false, true])(
  'an offered time is chosen, and asked for (several: %s)',
  async (several) => {
    const person = open(several);
    await screen.findByText('Held for you until 1:00 pm IST today');
    const time = await screen.findByRole('radio', { name: /11:00 am IST.*Kept for you/ });
    expect(time).toHaveProperty('checked', true);
    expect(screen.getByRole('radio', { name: 'In person' })).toHaveProperty('checked', true);
    expect(screen.queryByText(/was just taken$/)).toBeNull();
    await expectAccessible();
    await toPayment(person);
    expect(server.requests[0]).toMatchObject({
      practitionerId: 'lead',
      mode: SessionMode.IN_PERSON,
    });
    await waitFor(() => expect(address()).not.toContain('offer'));
  },
);

test('one that is held over the night says until when tomorrow', async () => {
  const heldUntilAt = at('2026-11-23T03:00:00Z');
  const [waiting] = server.waiting.list;
  const offer = offerFixture({ ...waiting?.offer, heldUntilAt });
  server.waiting.list = [waitingFixture({ wish: waiting?.wish, offer })];
  open();
  await screen.findByText('Held for you until 8:30 am IST tomorrow');
});

test('another time is asked for with anyone', async () => {
  const person = open();
  await person.click(await screen.findByRole('radio', { name: /12:00 pm/ }));
  await toPayment(person);
  expect(server.requests[0]?.practitionerId).toBe('');
});

test('the offered time is none of another practitioner', async () => {
  const person = open(true);
  await person.click(await screen.findByRole('radio', { name: 'Ravi Menon' }));
  await waitFor(() => expect(chosen()).toBeNull());
  const time = await screen.findByRole('radio', { name: /11:00 am IST.*Taken/ });
  expect(time).toHaveProperty('disabled', true);
});

test('an offer that has ended says so, and the time is taken', async () => {
  server.waiting.endOffer();
  open();
  await screen.findByText(GONE);
  await screen.findByText(/11:00 am IST was just taken$/);
  const link = screen.getByRole('link', { name: 'Your wait list' });
  expect(link.getAttribute('href')).toBe('/account/waiting');
  await expectAccessible();
});

test('a time that is held over the night says until which day', async () => {
  const [waiting] = server.waiting.list;
  const times = { startsAt: at(SLOT), endsAt: at('2026-11-24T06:15:00Z') };
  const offer = offerFixture({ ...times, heldUntilAt: at('2026-11-23T03:00:00Z') });
  server.waiting.list = waiting ? [{ ...waiting, offer }] : [];
  open();
  await screen.findByText('Held for you until 8:30 am IST tomorrow');
});

test('an offer of another account is none, and that account waits for nothing', async () => {
  server.waiting.list = [];
  open();
  await screen.findByText(GONE);
  screen.getByText('Choose another time here.');
  expect(screen.queryByText(/still on the wait list/)).toBeNull();
});

test('one that ends while it is looked at says so', async () => {
  open();
  await screen.findByText('Held for you until 1:00 pm IST today');
  server.waiting.endOffer();
  act(() => void window.dispatchEvent(new Event('visibilitychange')));
  await screen.findByText(GONE);
});

test('a list that cannot be read takes no time away', async () => {
  server.waiting.down = true;
  const person = open();
  await screen.findByRole('radio', { name: /11:00 am IST/ });
  expect(chosen()?.value).toBe(SLOT);
  await toPayment(person);
  expect(server.requests).toHaveLength(1);
});
