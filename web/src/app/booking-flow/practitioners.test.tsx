/** The choice between practitioners in the booking flow, with a server that a test plays. */
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { BookingServer } from '@/testing/booking-server';
import { practiceFixture, practitionersFixture } from '@/testing/practice-fixture';
import { renderApp } from '@/testing/render-app';
import BookingFlowPage from '../routes/booking-flow';
// Loaded with the tests, so that none of them waits for it.
import './schedule-screen';

vi.setConfig({ testTimeout: 30_000 });

const ASHA = { id: 'u1', email: 'asha@example.org', firstName: 'Asha', lastName: 'Rao', phone: '' };

vi.mock('@/lib/auth', () => ({ useAuth: () => ({ status: 'signed-in', user: ASHA }) }));

const FLOW = '/booking-flow?service=general-consultation&step=calendar-terms';

let server: BookingServer;

beforeEach(() => {
  // The times of the fixtures lie two days ahead, whenever the tests run.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-22T05:30:00Z') });
  server = new BookingServer();
});

afterEach(() => {
  vi.useRealTimers();
});

function open(path: string, several = true) {
  const snapshot = practiceFixture();
  const practitioners = several ? practitionersFixture() : [];
  snapshot.services = snapshot.services.map((service) => ({ ...service, practitioners }));
  const page = (
    <main>
      <BookingFlowPage />
    </main>
  );
  renderApp(page, { path, snapshot, transport: server.transport() });
  return userEvent.setup();
}

async function toPayment(person: ReturnType<typeof userEvent.setup>) {
  await person.click(screen.getByLabelText('I agree to these simple terms'));
  await person.click(screen.getByRole('button', { name: 'Continue to Payment' }));
  await screen.findByRole('heading', { level: 1, name: 'Complete Your Payment' });
}

test('of two practitioners one can be chosen, and is asked for', async () => {
  const person = open(`${FLOW}&slot=2026-11-24T05:30:00Z`);
  await person.click(await screen.findByRole('radio', { name: 'Ravi Menon' }));
  await waitFor(() => expect(server.slotsOf.at(-1)).toBe('ravi'));
  expect(server.slotsOf[0]).toBe('');
  // The time that was chosen before may not be free with him.
  const noon = await screen.findByRole('radio', { name: /12:00 pm/ });
  expect(document.querySelector('[data-testid="times"] input:checked')).toBeNull();
  await expectAccessible();
  await person.click(noon);
  await toPayment(person);
  expect(server.requests[0]?.practitionerId).toBe('ravi');
  expect(screen.getByText('Ravi Menon')).toBeTruthy();
  // Back at the calendar he is still chosen.
  await person.click(screen.getByRole('button', { name: 'Back' }));
  const ravi = await screen.findByRole<HTMLInputElement>('radio', { name: 'Ravi Menon' });
  expect(ravi.checked).toBe(true);
});

test('an unknown name means anyone', async () => {
  const person = open(`${FLOW}&slot=2026-11-24T05:30:00Z&practitioner=unknown`);
  const anyone = await screen.findByRole<HTMLInputElement>('radio', { name: 'Anyone' });
  expect(anyone.checked).toBe(true);
  await screen.findByRole('radio', { name: /11:00 am/ });
  await toPayment(person);
  expect(server.requests[0]?.practitionerId).toBe('');
});

test('a practice of one asks nothing', async () => {
  const person = open(`${FLOW}&slot=2026-11-24T05:30:00Z&practitioner=lead`, false);
  await screen.findByRole('radio', { name: /11:00 am/ });
  expect(screen.queryByRole('group', { name: 'With whom?' })).toBeNull();
  await toPayment(person);
  expect(server.slotsOf).not.toContain('lead');
  expect(server.requests[0]?.practitionerId).toBe('');
});
