/** /book as a person goes through it, with a server that a test plays. */
import { Code } from '@connectrpc/connect';
import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import {
  scheduledEventOf,
  writeScheduledEvent,
} from '@/features/booking/book-page/scheduled-event';
import { BookingState, MailState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { CollectionState, PaymentStatus } from '@/gen/payments/v1/payments_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { BOOKING_ID, bookingFixture } from '@/testing/booking-fixture';
import { address, beginEach, heading, openPage, type Person } from '@/testing/booking-page';
import { BookingServer } from '@/testing/booking-server';
import { ASHA, become, beginAs } from '@/testing/played-client';
import { practiceFixture } from '@/testing/practice-fixture';
import { refusal } from '@/testing/refusal';
import BookPage from '../routes/book';
// Loaded with the tests, so that none of them waits for it.
import './book-steps';
import '@/features/booking/book-page/components/kept-booking';
import '@/features/catalogue/components/free-times';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

const SERVICE = 'service=general-consultation';
const SLOT = 'slot=2026-11-24T05:30:00Z';
const CONSENT = `/book?${SERVICE}&${SLOT}&step=calendar-terms`;
const DETAILS = `/book?${SERVICE}&${SLOT}&step=payment`;
const PAYMENT = `/book?step=payment&b=${BOOKING_ID}`;

type OpenedTab = { address: string; closed: boolean };

let server: BookingServer;
let tabs: OpenedTab[];
/** The browser refuses to open tabs. */
let refusing: boolean;

function openTab() {
  if (refusing) return null;
  const tab: OpenedTab = { address: '', closed: false };
  tabs.push(tab);
  return {
    opener: window,
    document: document.implementation.createHTMLDocument(),
    location: {
      replace: (address: string) => {
        tab.address = address;
      },
    },
    close: () => {
      tab.closed = true;
    },
  };
}

beginEach();

beforeEach(() => {
  vi.stubGlobal('open', openTab);
  server = new BookingServer();
  tabs = [];
  refusing = false;
});

function open(path: string) {
  return openPage(BookPage, { path, transport: server.transport() });
}

function accept() {
  return screen.getByRole<HTMLButtonElement>('button', { name: 'Accept & Continue to Payment' });
}

async function giveConsent(person: Person) {
  const name = await screen.findByLabelText<HTMLInputElement>('Full name');
  if (!name.value) await person.type(name, 'Asha Rao');
  const email = screen.getByLabelText<HTMLInputElement>('Email');
  if (!email.value) await person.type(email, 'asha@example.org');
  await person.type(screen.getByLabelText('Signature'), 'A. Rao');
  await person.click(screen.getByRole('checkbox'));
  await person.click(accept());
}

async function giveDetails(person: Person) {
  await heading('Booking Details');
  await person.type(screen.getByLabelText('Phone'), '98765 43210');
  await person.type(screen.getByLabelText(/^Special requests/), 'A quiet voice, please');
  await person.click(screen.getByRole('button', { name: 'Proceed to Payment' }));
}

test('a visitor sees free times at once, agrees, signs in, pays in a new tab and is confirmed', async () => {
  const person = open(`/book?${SERVICE}`);
  await person.click(await screen.findByRole('link', { name: /^11:00 am IST/ }));
  await heading('Consent to Online Session');
  expect(await screen.findByText('You are 18 or older.')).toBeTruthy();
  expect(accept().disabled).toBe(true);
  await expectAccessible();
  await giveConsent(person);
  await heading('Sign In Required');
  expect(address()).toContain('returned=true');
  // The signature is in no storage: the browser has it in memory alone.
  const kept = JSON.stringify({ ...sessionStorage, ...localStorage });
  expect(kept).toContain('Asha Rao');
  expect(kept).not.toContain('A. Rao');
  expect(screen.getByLabelText('Your name')).toHaveProperty('value', 'Asha Rao');
  await expectAccessible();

  become(ASHA);
  await giveDetails(person);
  await heading('Complete Your Payment');
  await screen.findByText('A payment window has opened in a new tab');
  await expectAccessible();
  expect(tabs).toEqual([{ address: 'https://pay.example/l/1', closed: false }]);
  await waitFor(() => expect(address()).toBe(PAYMENT));
  const [request] = server.requests;
  expect(request?.shown).toMatchObject({ ...practiceFixture().legalVersions, noticeHours: 24 });
  expect(request?.contact?.notes).toBe('A quiet voice, please');
  expect(server.consents.given).toMatchObject([
    {
      version: server.consents.version,
      fullName: 'Asha Rao',
      email: 'asha@example.org',
      signature: 'A. Rao',
      acceptedDeclaration: true,
    },
  ]);
  expect(sessionStorage.getItem('paymentLinkId')).toBe('plink_1');

  server.payment = { state: CollectionState.PAID, paymentStatus: PaymentStatus.PAID };
  const button = { name: "I've Completed Payment - Confirm Booking" };
  await person.click(screen.getByRole('button', button));
  await screen.findByText(/Your payment has arrived/);
  act(() =>
    server.tell({
      state: BookingState.MEETING_SCHEDULED,
      paymentState: PaymentState.PAID,
      mailState: MailState.SENT,
      joinUrl: 'https://meet.example/room-1',
    }),
  );
  await heading('Booking Confirmed!');
  const own = await screen.findByRole('link', { name: 'Your sessions' });
  expect(own.getAttribute('href')).toBe('/account/sessions');
  const toasts = within(screen.getByTestId('toasts'));
  expect(toasts.getByText('Follow-up Email Scheduled')).toBeTruthy();
  const main = within(screen.getByRole('main'));
  await main.findByText("What's Next");
  for (const said of ['General Consultation', 'asha@example.org', '98765 43210', "What's Next"]) {
    expect(main.getAllByText(said).length).toBeGreaterThan(0);
  }
  for (const said of [
    'A confirmation email was sent to asha@example.org.',
    'Your meeting link is included.',
    'We remind you 24 hours before your session.',
    'Please join 5 minutes early.',
    'Your session is in our calendar',
  ]) {
    expect(main.getByText(said)).toBeTruthy();
  }
  expect(screen.getByRole('link', { name: /^Save Meeting Link/ })).toHaveProperty(
    'href',
    expect.stringMatching(/\/join\/bkg_[0-9a-f]{32}$/),
  );
  expect(screen.getByRole('link', { name: 'Return to Home' })).toHaveProperty('pathname', '/');
  expect(screen.getByRole('button', { name: 'Add to calendar' })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Download Consent' })).toBeTruthy();
  expect(localStorage.getItem('heldBooking')).toBeNull();
  const left = Object.keys(sessionStorage);
  for (const key of ['selectedService', 'selectedDateTime', 'paymentLinkId']) {
    expect(left).not.toContain(key);
  }
  await expectAccessible();
});

test('the button stays disabled until tick, name, address and signature are there', async () => {
  const person = open(CONSENT);
  await screen.findByLabelText('Full name');
  expect(screen.getByLabelText('Date')).toMatchObject({
    value: '22 November 2026',
    readOnly: true,
  });
  const left = ['full name', 'email', 'signature', 'checkbox'];
  const needed = () => screen.getByText(/^Still to fill in/).textContent;
  expect(accept().disabled).toBe(true);
  expect(needed()).toBe(`Still to fill in: ${left.join(', ')}.`);
  await person.type(screen.getByLabelText('Full name'), 'Asha Rao');
  await person.type(screen.getByLabelText('Email'), 'asha');
  await person.type(screen.getByLabelText('Signature'), 'A. Rao');
  expect(needed()).toBe('Still to fill in: checkbox.');
  expect(accept().disabled).toBe(true);
  await person.click(screen.getByRole('checkbox'));
  expect(accept().disabled).toBe(false);
  await person.click(accept());
  expect(await screen.findAllByText('Invalid email address')).toHaveLength(2);
  await person.type(screen.getByLabelText('Email'), '@example.org');
  await person.clear(screen.getByLabelText('Signature'));
  expect(accept().disabled).toBe(true);
});

test('a client whose consent is in force is not asked again', async () => {
  beginAs(ASHA);
  server.consents.giveBefore();
  const person = open(CONSENT);
  await giveDetails(person);
  await heading('Complete Your Payment');
  expect(server.requests[0]?.consent).toBeUndefined();
});

test.each([
  ['Our terms have changed', () => server.consents.giveBefore('2026-01-01.b')],
  [
    'You withdrew your consent',
    () => {
      server.consents.giveBefore();
      const [record] = server.consents.records;
      if (record)
        record.withdrawnAt = { $typeName: 'google.protobuf.Timestamp', seconds: 1n, nanos: 0 };
    },
  ],
])('a client is told why the consent is asked for again: %s', async (why, before) => {
  beginAs(ASHA);
  before();
  open(CONSENT);
  await heading('Consent to Online Session');
  expect(await screen.findByText(why)).toBeTruthy();
});

test('terms that changed meanwhile are shown anew before the time is taken', async () => {
  beginAs(ASHA);
  const person = open(CONSENT);
  await giveConsent(person);
  const field = 'consent.version';
  server.refusals = [refusal(Code.FailedPrecondition, 'CONSENT_VERSION_UNKNOWN', { field })];
  await giveDetails(person);
  await heading('Consent to Online Session');
  expect(tabs[0]?.closed).toBe(true);
  await person.type(await screen.findByLabelText('Signature'), '!');
  await person.click(screen.getByRole('checkbox'));
  await person.click(accept());
  await heading('Booking Details');
  // What was typed is still there.
  expect(screen.getByLabelText('Phone')).toHaveProperty('value', '98765 43210');
});

test('the details are asked for in the agreed words', async () => {
  beginAs({ id: 'u1', email: '', firstName: '', lastName: '', phone: '' });
  server.consents.giveBefore();
  const person = open(DETAILS);
  await heading('Booking Details');
  const proceed = screen.getByRole('button', { name: 'Proceed to Payment' });
  await person.click(proceed);
  for (const said of [
    'First name is required',
    'Last name is required',
    'Email is required',
    'Phone number is required',
  ]) {
    expect(screen.getAllByText(said)).toHaveLength(2);
  }
  await expectAccessible();
  await person.type(screen.getByLabelText('Email'), 'asha');
  expect(screen.getAllByText('Invalid email address')).toHaveLength(2);
  expect(server.requests).toEqual([]);
  expect(tabs).toEqual([]);
});

test('a time that was taken leads back to the calendar, with everything typed still there', async () => {
  beginAs(ASHA);
  server.consents.giveBefore();
  server.taken.add(11);
  const person = open(DETAILS);
  await giveDetails(person);
  expect(await screen.findByText(/11:00 am IST was just taken$/)).toBeTruthy();
  await expectAccessible();
  expect(tabs[0]?.closed).toBe(true);
  await person.click(await screen.findByRole('button', { name: /, 12:00 pm IST$/ }));
  await heading('Booking Details');
  expect(screen.getByLabelText('Phone')).toHaveProperty('value', '98765 43210');
  expect(screen.getByLabelText(/^Special requests/)).toHaveProperty(
    'value',
    'A quiet voice, please',
  );
});

test('an appointment of the scheduling widget that our day refuses is said to be cancelled', async () => {
  beginAs(ASHA);
  server.consents.giveBefore();
  server.taken.add(11);
  const chosen = { serviceId: 'general-consultation', slot: '2026-11-24T05:30:00Z' };
  const eventUri = 'https://api.calendly.com/scheduled_events/AAAA';
  writeScheduledEvent({ ...chosen, eventUri });
  const person = open(DETAILS);
  await giveDetails(person);
  expect(await screen.findByText(/^Failed to create booking: /)).toBeTruthy();
  expect(screen.getByText(/^The appointment that you chose is cancelled/)).toBeTruthy();
  expect(tabs[0]?.closed).toBe(true);
  expect(server.requests[0]?.scheduledEventUri).toBe(eventUri);
  expect(scheduledEventOf(chosen.serviceId, chosen.slot)).toBe('');
  await expectAccessible();
});

test('a browser that refuses the tab has a link to the payment page', async () => {
  beginAs(ASHA);
  server.consents.giveBefore();
  refusing = true;
  const person = open(DETAILS);
  await giveDetails(person);
  await heading('Complete Your Payment');
  const link = screen.getByRole('link', { name: /^Open the Payment Page \(₹500\)/ });
  expect(link).toMatchObject({ href: 'https://pay.example/l/1', target: '_blank' });
  expect(screen.getByText(/did not let us open it/)).toBeTruthy();
});

test('a payment that has not come is said kindly, and one that cannot be asked for is an alert', async () => {
  beginAs(ASHA);
  server.booking = bookingFixture();
  const person = open(PAYMENT);
  await heading('Complete Your Payment');
  const confirm = screen.getByRole('button', { name: "I've Completed Payment - Confirm Booking" });
  await person.click(confirm);
  expect(await screen.findByText('We have not seen your payment yet')).toBeTruthy();
  await expectAccessible();

  server.checkFailure = refusal(Code.Unavailable, 'PROVIDER_UNAVAILABLE');
  await person.click(confirm);
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain(
    'There was an error creating your booking. Please contact support.',
  );
  await heading('Complete Your Payment');
  await expectAccessible();

  server.checkFailure = undefined;
  server.payment = { state: CollectionState.PENDING, paymentStatus: PaymentStatus.CANCELLED };
  await person.click(confirm);
  expect(await screen.findByText('Payment was cancelled or expired')).toBeTruthy();
  await expectAccessible();

  server.payment = { state: CollectionState.MISMATCHED, paymentStatus: PaymentStatus.OTHER };
  await person.click(confirm);
  expect((await screen.findByRole('alert')).textContent).toContain('does not match this booking');
});

test('a visitor who leaves the sign-in comes back to the calendar, and can go on', async () => {
  const person = open(CONSENT);
  await giveConsent(person);
  await heading('Sign In Required');
  await person.click(screen.getByRole('button', { name: 'Cancel' }));
  await heading('Book a Session');
  expect(address()).toContain('auth=cancelled');
  expect(screen.getByText('You left the sign-in')).toBeTruthy();
  await expectAccessible();
  await person.click(screen.getByRole('button', { name: /^Go on with/ }));
  await heading('Sign In Required');
  // The signature was not lost.
  become(ASHA);
  await heading('Booking Details');
});

test('the way back from the consent clears what belongs to the sign-in', async () => {
  const person = open(`/book?${SERVICE}&${SLOT}&step=calendar-terms&returned=true`);
  await screen.findByLabelText('Full name');
  await person.click(screen.getByRole('button', { name: 'Back to Calendar' }));
  await heading('Book a Session');
  expect(address()).toBe(`/book?${SERVICE}&${SLOT}`);
});

test('without a chosen time there is nothing to return to', async () => {
  open('/book?returned=true');
  await heading('Book a Session');
  await screen.findByRole('link', { name: /^11:00 am IST/ });
});
