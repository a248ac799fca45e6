/** A package at /book: its dates are chosen, held, lost and paid for, with a server that a test plays. */
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { writeHeldAnywhere } from '@/features/booking/book-page/held-anywhere';
import { BookingState, MailState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { BOOKING_ID, packageFixture } from '@/testing/booking-fixture';
import { address, beginEach, heading, openPage, type Person, slots } from '@/testing/booking-page';
import { BookingServer } from '@/testing/booking-server';
import { ASHA, become, beginAs } from '@/testing/played-client';
import { practiceFixture } from '@/testing/practice-fixture';
import BookPage from '../routes/book';
// Loaded with the tests, so that none of them waits for it.
import './book-steps';
import '@/features/booking/book-page/components/held-starts';
import '@/features/booking/book-page/components/kept-booking';
import '@/features/booking/book-page/components/package-times';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

const REPORT = 'ab'.repeat(16);
const PACKAGE = '/book?service=mental-health&package=starter';
/** Weekly at eleven, as it is suggested. */
const DATES = ['2026-11-24T05:30:00Z', '2026-12-01T05:30:00Z', '2026-12-08T05:30:00Z'] as const;
const CHOSEN = `${PACKAGE}&slots=${DATES.join()}`;
const TUESDAY = /^Tuesday, 24 November 2026 at 11:00 am IST/;

let server: BookingServer;

beginEach();

beforeEach(() => {
  vi.stubGlobal('open', () => null);
  server = new BookingServer();
  server.everyDay = true;
});

function open(path: string) {
  return openPage(BookPage, { path, transport: server.transport() });
}

function place(number: number) {
  const name = new RegExp(`^Session ${number}`);
  const group = within(screen.getByRole('group', { name: 'Your three dates' }));
  return group.getByRole<HTMLInputElement>('radio', { name });
}

async function goOn(person: Person) {
  await person.click(await screen.findByRole('button', { name: 'Continue with These Dates' }));
}

async function giveDetails(person: Person) {
  await heading('Booking Details');
  await person.type(screen.getByLabelText('Phone'), '98765 43210');
  await person.click(screen.getByRole('button', { name: 'Proceed to Payment' }));
}

test('a visitor chooses three dates, agrees, signs in, pays once and is confirmed', async () => {
  const person = open(`/book?package=starter&report=${REPORT}`);
  await screen.findByText('Starter Package: 3 sessions for ₹4,500');
  await goOn(person);
  expect((await screen.findAllByText('Please choose three dates')).length).toBeGreaterThan(0);
  await heading('Book a Session');
  await expectAccessible();

  await person.click(screen.getByRole('button', { name: 'Suggest three' }));
  await waitFor(() => expect(slots()).toEqual(DATES));
  await person.click(place(2));
  await person.click(await screen.findByRole('radio', { name: /^1:00 pm/ }));
  const second = '2026-12-01T07:30:00Z';
  await waitFor(() => expect(slots()).toEqual([DATES[0], second, DATES[2]]));
  await expectAccessible();
  await goOn(person);

  await heading('Consent to Online Session');
  expect(await screen.findByText(TUESDAY)).toBeTruthy();
  expect(screen.getByText(/Starter Package/)).toBeTruthy();
  await expectAccessible();
  await person.type(await screen.findByLabelText('Full name'), 'Asha Rao');
  await person.type(screen.getByLabelText('Email'), 'asha@example.org');
  await person.type(screen.getByLabelText('Signature'), 'A. Rao');
  await person.click(screen.getByRole('checkbox'));
  await person.click(screen.getByRole('button', { name: 'Accept & Continue to Payment' }));
  await heading('Sign In Required');
  expect(address()).toContain(`slots=${DATES[0]},${second},${DATES[2]}`);
  expect(address()).toContain('returned=true');
  become(ASHA);
  await giveDetails(person);

  await heading('Complete Your Payment');
  await waitFor(() =>
    expect(address()).toBe(`/book?step=payment&b=${BOOKING_ID}&report=${REPORT}`),
  );
  const [request] = server.requests;
  expect(request?.shown).toMatchObject({ ...practiceFixture().legalVersions, noticeHours: 24 });
  expect(request).toMatchObject({ packageId: 'starter', serviceId: 'mental-health' });
  expect(request?.furtherStartsAt).toHaveLength(2);
  for (const label of ['Session 1', 'Session 2', 'Session 3']) {
    await screen.findByText(label);
  }
  await expectAccessible();
  act(() =>
    server.tell({
      state: BookingState.MEETING_SCHEDULED,
      paymentState: PaymentState.PAID,
      mailState: MailState.SENT,
      joinUrl: 'https://meet.example/room-1',
    }),
  );
  await heading('Booking Confirmed!');
  for (const said of [
    'Starter Package',
    'Session 3',
    "Your meeting link is included. It's the same for all three.",
    'We remind you 24 hours before each session.',
    'Your sessions are in our calendar',
  ]) {
    await screen.findByText(said);
  }
  const link = screen.getByRole('link', { name: /^Save Meeting Link/ });
  expect(link.getAttribute('href')).toBe(`/join/${BOOKING_ID}`);
  expect(document.body.innerHTML).not.toContain('meet.example');
  await expectAccessible();
});

test('a reload keeps the dates', async () => {
  open(`${CHOSEN}&step=calendar-terms`);
  await heading('Consent to Online Session');
  expect(await screen.findByText(TUESDAY)).toBeTruthy();
});

test('with a date missing the calendar is shown, with the dates that were chosen', async () => {
  open(`${PACKAGE}&slots=${DATES[0]},,${DATES[2]}&step=calendar-terms`);
  await screen.findByRole('group', { name: 'Your three dates' });
  expect(screen.getByText('Not chosen yet')).toBeTruthy();
  expect(slots()).toEqual([DATES[0], '', DATES[2]]);
});

test('one date that was taken is chosen again, and the others are kept', async () => {
  beginAs(ASHA);
  server.consents.giveBefore();
  const person = open(`${CHOSEN}&step=payment`);
  server.gone.add(DATES[1]);
  await giveDetails(person);
  await heading('Book a Session');
  const gone = await screen.findByText('Tue, 1 Dec, 11:00 am IST was just taken');
  expect(
    screen.getByText('Please choose another time for session 2. Your other dates are kept.'),
  ).toBeTruthy();
  await expectAccessible();
  await waitFor(() => expect(slots()).toEqual([DATES[0], '', DATES[2]]));
  expect(place(2).checked).toBe(true);
  await waitFor(() => expect(document.activeElement?.contains(gone)).toBe(true));

  await person.click(screen.getByRole('button', { name: '12:00 pm IST' }));
  await waitFor(() => expect(slots()).toEqual([DATES[0], '2026-12-01T06:30:00Z', DATES[2]]));
  await goOn(person);
  await heading('Booking Details');
  expect(screen.getByLabelText('Phone')).toHaveProperty('value', '98765 43210');
  await person.click(screen.getByRole('button', { name: 'Proceed to Payment' }));
  await heading('Complete Your Payment');
});

test('a visitor who leaves the sign-in comes back to the dates, and can go on', async () => {
  const person = open(`${CHOSEN}&step=auth`);
  await heading('Sign In Required');
  await person.click(screen.getByRole('button', { name: 'Cancel' }));
  await heading('Book a Session');
  expect(address()).toContain('auth=cancelled');
  expect(slots()).toEqual(DATES);
  await expectAccessible();
  await person.click(await screen.findByRole('button', { name: 'Go on with your dates' }));
  await heading('Sign In Required');
});

test('the dates of an own hold are not lost, and the first view leads back to them', async () => {
  beginAs(ASHA);
  server.booking = packageFixture(DATES.map((start) => new Date(start)));
  for (const start of DATES) server.gone.add(start);
  writeHeldAnywhere(BOOKING_ID);
  const person = open(CHOSEN);
  await screen.findByText('Kept for you');
  expect(await screen.findByText(/^Your times are kept until/)).toBeTruthy();
  await expectAccessible();
  expect(screen.getByText(/^Starter Package, 3 sessions of Mental Health Therapy/)).toBeTruthy();
  expect(slots()).toEqual(DATES);
  await person.click(screen.getByRole('button', { name: 'Go On to Payment' }));
  await heading('Complete Your Payment');
});

test('a package that ended leads to new dates of it', async () => {
  beginAs(ASHA);
  server.booking = packageFixture(DATES.map((start) => new Date(start)));
  server.booking.state = BookingState.EXPIRED;
  const person = open(`/book?step=payment&b=${BOOKING_ID}`);
  await person.click(await screen.findByRole('button', { name: 'Choose a New Time' }));
  await screen.findByRole('group', { name: 'Your three dates' });
  expect(screen.getAllByText('Not chosen yet')).toHaveLength(3);
  expect(address()).toBe(PACKAGE);
});
