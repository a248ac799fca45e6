/** What /book keeps, gives back and never mixes up: notes, signatures, and the chosen practitioner. */
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useLocation } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { writeHeld } from '@/features/booking/shared/held-booking';
import { BookingState } from '@/gen/booking/v1/booking_service_pb';
import { BOOKING_ID, bookingFixture } from '@/testing/booking-fixture';
import { BookingServer } from '@/testing/booking-server';
import { practiceFixture, practitionersFixture } from '@/testing/practice-fixture';
import { renderApp } from '@/testing/render-app';
import BookPage from '../routes/book';
// Loaded with the tests, so that none of them waits for it.
import './book-steps';
import '@/features/booking/book-page/components/kept-booking';
import '@/features/catalogue/components/free-times';

// Typing a whole form takes its time where other builds run beside the tests.
vi.setConfig({ testTimeout: 30_000 });

const ASHA = { id: 'u1', email: 'asha@example.org', firstName: 'Asha', lastName: 'Rao', phone: '' };
const BELA = { ...ASHA, id: 'u2', email: 'bela@example.org', firstName: 'Bela' };

const auth = vi.hoisted(() => ({
  user: undefined as undefined | Record<string, string>,
  listeners: new Set<() => void>(),
}));

vi.mock('@/lib/auth', async () => {
  const { useSyncExternalStore } = await import('react');
  const subscribe = (listener: () => void) => {
    auth.listeners.add(listener);
    return () => auth.listeners.delete(listener);
  };
  const read = () => auth.user;
  return {
    authClient: async () => ({}),
    signOut: () => undefined,
    useAuth: () => {
      const user = useSyncExternalStore(subscribe, read, read);
      return user ? { status: 'signed-in', user } : { status: 'signed-out', user: undefined };
    },
  };
});

function become(user: Record<string, string> | undefined): void {
  act(() => {
    auth.user = user;
    for (const listener of auth.listeners) listener();
  });
}

const SLOT = 'slot=2026-11-24T05:30:00Z';
const SERVICE = 'service=general-consultation';
const CHOSEN = `/book?${SERVICE}&${SLOT}`;
const CONSENT = `${CHOSEN}&step=calendar-terms`;
const PAYMENT = `/book?step=payment&b=${BOOKING_ID}`;

let server: BookingServer;

beforeEach(() => {
  // The times of the fixtures lie two days ahead, whenever the tests run.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-22T05:30:00Z') });
  vi.stubGlobal(
    'open',
    vi.fn(() => null),
  );
  sessionStorage.clear();
  localStorage.clear();
  server = new BookingServer();
  auth.user = undefined;
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function Address() {
  const { pathname, search } = useLocation();
  return <p data-testid="address">{`${pathname}${search}`}</p>;
}

function open(path: string) {
  const snapshot = practiceFixture();
  for (const service of snapshot.services) service.practitioners = practitionersFixture();
  const page = (
    <main>
      <BookPage />
      <Address />
    </main>
  );
  renderApp(page, { path, transport: server.transport(), snapshot });
  return userEvent.setup();
}

function address(): string {
  return screen.getByTestId('address').textContent ?? '';
}

async function heading(name: string) {
  return screen.findByRole('heading', { level: 1, name });
}

test('notes of a held booking come back from the server, for no storage has them', async () => {
  auth.user = ASHA;
  server.consents.giveBefore();
  const notes = 'Mornings are hard for me.';
  server.booking = bookingFixture({ contact: { firstName: 'Asha', notes } });
  writeHeld({ bookingId: BOOKING_ID, content: '', practitionerId: '' });
  open(`${CHOSEN}&step=payment`);
  await heading('Booking Details');
  const field = screen.getByLabelText(/^Special requests/);
  await waitFor(() => expect(field).toHaveProperty('value', notes));
  expect(JSON.stringify([{ ...sessionStorage }, { ...localStorage }])).not.toContain(notes);
});

test('what one account has signed is not given by another one', async () => {
  auth.user = ASHA;
  const person = open(CONSENT);
  await person.type(await screen.findByLabelText('Signature'), 'A. Rao');
  await person.click(screen.getByRole('checkbox'));
  await person.click(screen.getByRole('button', { name: 'Accept & Continue to Payment' }));
  await heading('Booking Details');
  become(undefined);
  become(BELA);
  await heading('Consent to Online Session');
  expect(await screen.findByLabelText('Signature')).toHaveProperty('value', '');
});

test('a practitioner is chosen on the first view and asked for to the end', async () => {
  auth.user = ASHA;
  server.consents.giveBefore();
  const person = open('/book?service=general-consultation');
  await person.click(await screen.findByLabelText('Ravi Menon'));
  expect(address()).toBe('/book?service=general-consultation&practitioner=ravi');
  await person.click(await screen.findByRole('link', { name: /^11:00 am IST/ }));
  await heading('Booking Details');
  expect(screen.getByText(/with Ravi Menon/)).toBeTruthy();
  await person.type(screen.getByLabelText('Phone'), '98765 43210');
  await person.click(screen.getByRole('button', { name: 'Proceed to Payment' }));
  await heading('Complete Your Payment');
  expect(server.requests.at(-1)?.practitionerId).toBe('ravi');
  expect(server.slotsOf).toContain('ravi');
});

test('a reload and a second tab show the same booking, with the link to its payment', async () => {
  auth.user = ASHA;
  server.booking = bookingFixture();
  open(`/book?b=${BOOKING_ID}`);
  await heading('Complete Your Payment');
  expect(await screen.findByRole('link', { name: /^Open the Payment Page/ })).toBeTruthy();
  await waitFor(() => expect(address()).toBe(PAYMENT));
  expect(window.open).not.toHaveBeenCalled();
});

test('a hold that ended says so and leads back to the calendar', async () => {
  auth.user = ASHA;
  server.booking = bookingFixture({ state: BookingState.EXPIRED, checkoutOpened: true });
  const person = open(PAYMENT);
  await heading('Your time was released');
  await person.click(screen.getByRole('button', { name: 'Choose a New Time' }));
  await heading('Book a Session');
  expect(address()).toBe(`/book?${SERVICE}`);
});

test('a booking of another client is not found', async () => {
  auth.user = ASHA;
  const person = open(PAYMENT);
  await heading('Booking Not Found');
  await person.click(screen.getByRole('button', { name: 'Choose a time' }));
  await heading('Book a Session');
});

test('unsaved notes and signatures are asked about before the page is left', async () => {
  const leaves = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  const person = open(CONSENT);
  await screen.findByLabelText('Full name');
  expect(leaves()).toBe(true);
  await person.type(screen.getByLabelText('Signature'), 'A');
  expect(leaves()).toBe(false);
  await person.clear(screen.getByLabelText('Signature'));
  expect(leaves()).toBe(true);
});

test('a client who closed the browser finds the held time again', async () => {
  auth.user = ASHA;
  localStorage.setItem('heldBooking', BOOKING_ID);
  server.booking = bookingFixture();
  const person = open('/book');
  await screen.findByText(/^Your time is kept until/);
  await person.click(screen.getByRole('button', { name: 'Go On to Payment' }));
  await heading('Complete Your Payment');
});
