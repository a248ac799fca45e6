/** What /book keeps, gives back and never mixes up: notes, signatures, and the chosen practitioner. */
import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { writeHeld } from '@/features/booking/shared/held-booking';
import { BookingState } from '@/gen/booking/v1/booking_service_pb';
import { BOOKING_ID, bookingFixture } from '@/testing/booking-fixture';
import { address, beginEach, heading, openPage } from '@/testing/booking-page';
import { BookingServer } from '@/testing/booking-server';
import { ASHA, become, beginAs } from '@/testing/played-client';
import { practiceFixture, practitionersFixture } from '@/testing/practice-fixture';
import BookPage from '../routes/book';
// Loaded with the tests, so that none of them waits for it.
import './book-steps';
import '@/features/booking/book-page/components/kept-booking';
import '@/features/catalogue/components/free-times';

const BELA = { ...ASHA, id: 'u2', email: 'bela@example.org', firstName: 'Bela' };

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

const SLOT = 'slot=2026-11-24T05:30:00Z';
const SERVICE = 'service=general-consultation';
const CHOSEN = `/book?${SERVICE}&${SLOT}`;
const CONSENT = `${CHOSEN}&step=calendar-terms`;
const PAYMENT = `/book?step=payment&b=${BOOKING_ID}`;

let server: BookingServer;

beginEach();

beforeEach(() => {
  vi.stubGlobal(
    'open',
    vi.fn(() => null),
  );
  server = new BookingServer();
});

function open(path: string) {
  const snapshot = practiceFixture();
  for (const service of snapshot.services) service.practitioners = practitionersFixture();
  return openPage(BookPage, { path, transport: server.transport(), snapshot });
}

test('notes of a held booking come back from the server, for no storage has them', async () => {
  beginAs(ASHA);
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
  beginAs(ASHA);
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
  beginAs(ASHA);
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
  beginAs(ASHA);
  server.booking = bookingFixture();
  open(`/book?b=${BOOKING_ID}`);
  await heading('Complete Your Payment');
  expect(await screen.findByRole('link', { name: /^Open the Payment Page/ })).toBeTruthy();
  await waitFor(() => expect(address()).toBe(PAYMENT));
  expect(window.open).not.toHaveBeenCalled();
});

test('a hold that ended says so and leads back to the calendar', async () => {
  beginAs(ASHA);
  server.booking = bookingFixture({ state: BookingState.EXPIRED, checkoutOpened: true });
  const person = open(PAYMENT);
  await heading('Your time was released');
  await person.click(screen.getByRole('button', { name: 'Choose a New Time' }));
  await heading('Book a Session');
  expect(address()).toBe(`/book?${SERVICE}`);
});

test('a booking of another client is not found', async () => {
  beginAs(ASHA);
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
  beginAs(ASHA);
  localStorage.setItem('heldBooking', BOOKING_ID);
  server.booking = bookingFixture();
  const person = open('/book');
  await screen.findByText(/^Your time is kept until/);
  await person.click(screen.getByRole('button', { name: 'Go On to Payment' }));
  await heading('Complete Your Payment');
});
