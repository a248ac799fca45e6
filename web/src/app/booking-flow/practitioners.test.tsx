/** The choice between practitioners in the booking flow, with a server that a test plays. */
import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { beginEach, openPage, type Person } from '@/testing/booking-page';
import { BookingServer } from '@/testing/booking-server';
import { ASHA } from '@/testing/played-client';
import { practiceFixture, practitionersFixture } from '@/testing/practice-fixture';
import BookingFlowPage from '../routes/booking-flow';
// Loaded with the tests, so that none of them waits for it.
import './schedule-screen';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

const FLOW = '/booking-flow?service=general-consultation&step=calendar-terms';

let server: BookingServer;

beginEach({ user: ASHA });

beforeEach(() => {
  server = new BookingServer();
});

function open(path: string, several = true) {
  const snapshot = practiceFixture();
  const practitioners = several ? practitionersFixture() : [];
  snapshot.services = snapshot.services.map((service) => ({ ...service, practitioners }));
  return openPage(BookingFlowPage, { path, snapshot, transport: server.transport() });
}

async function toPayment(person: Person) {
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
