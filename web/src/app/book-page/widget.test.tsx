/** /book in the tab that the widget on another site has opened. */
import { screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BOOKING_ID, bookingFixture } from '@/testing/booking-fixture';
import { address, beginEach, openPage } from '@/testing/booking-page';
import { BookingServer } from '@/testing/booking-server';
import { ASHA, beginAs } from '@/testing/played-client';
import BookPage from '../routes/book';
// Loaded with the tests, so that none of them waits for it.
import './book-steps';
import '@/features/booking/book-page/components/kept-booking';
import '@/features/catalogue/components/free-times';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

const REPORT = 'ab'.repeat(16);
const SLOT = 'service=general-consultation&slot=2026-11-24T05:30:00Z';

let server: BookingServer;

beginEach();

beforeEach(() => {
  vi.stubGlobal('open', () => null);
  server = new BookingServer();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  window.history.replaceState(null, '', '/');
});

function open(path: string) {
  return openPage(BookPage, { path, transport: server.transport() });
}

test('what the other site knows is in the declaration, and no longer in the address', async () => {
  const path = `/book?${SLOT}&step=calendar-terms&report=${REPORT}`;
  window.history.replaceState(null, '', `${path}#name=Asha+Rao&email=asha%40example.org`);
  open(path);
  const name = await screen.findByLabelText<HTMLInputElement>('Full name');
  expect(name.value).toBe('Asha Rao');
  expect(screen.getByLabelText('Email')).toHaveProperty('value', 'asha@example.org');
  expect(window.location.hash).toBe('');
});

test('the booking is reported once, and another time to the same widget', async () => {
  beginAs(ASHA);
  server.consents.giveBefore();
  const person = open(`/book?${SLOT}&step=payment&report=${REPORT}`);
  await person.type(await screen.findByLabelText('Phone'), '98765 43210');
  expect(server.reports).toEqual([]);
  await person.click(screen.getByRole('button', { name: 'Proceed to Payment' }));
  await screen.findByRole('heading', { level: 1, name: 'Complete Your Payment' });
  await waitFor(() => expect(server.reports).toEqual([`${REPORT} ${BOOKING_ID}`]));
  const booked = `/book?step=payment&b=${BOOKING_ID}&report=${REPORT}`;
  await waitFor(() => expect(address()).toBe(booked));
  server.tell({});
  expect(server.reports).toHaveLength(1);
});

test('a report that does not arrive is said again', async () => {
  beginAs(ASHA);
  server.booking = bookingFixture();
  server.reportFailures = 1;
  open(`/book?step=payment&b=${BOOKING_ID}&report=${REPORT}`);
  await waitFor(() => expect(server.reports).toHaveLength(1));
});

test('what is no id of a report is not reported', async () => {
  beginAs(ASHA);
  server.booking = bookingFixture();
  open(`/book?step=payment&b=${BOOKING_ID}&report=nonsense`);
  await screen.findByRole('heading', { level: 1, name: 'Complete Your Payment' });
  expect(server.reports).toEqual([]);
});

test('free times on the page keep the report', async () => {
  open(`/book?service=general-consultation&report=${REPORT}`);
  const link = await screen.findByRole<HTMLAnchorElement>('link', { name: /^11:00 am IST/ });
  await waitFor(() => expect(link.href).toContain(`report=${REPORT}`));
});
