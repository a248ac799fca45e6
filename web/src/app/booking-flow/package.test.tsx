/** A package in the booking flow, with a server that a test plays. */
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useLocation } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { BookingServer } from '@/testing/booking-server';
import { renderApp } from '@/testing/render-app';
import BookingFlowPage from '../routes/booking-flow';
// Loaded with the tests, so that none of them waits for it.
import '@/features/booking/shared/components/package-calendar';
import './schedule-screen';

vi.setConfig({ testTimeout: 30_000 });

const ASHA = { id: 'u1', email: 'asha@example.org', firstName: 'Asha', lastName: 'Rao', phone: '' };

vi.mock('@/lib/auth', () => ({ useAuth: () => ({ status: 'signed-in', user: ASHA }) }));

const FLOW = '/booking-flow?service=mental-health&step=calendar-terms';
/** Weekly at eleven, as it is suggested. */
const DATES = ['2026-11-24T05:30:00Z', '2026-12-01T05:30:00Z', '2026-12-08T05:30:00Z'] as const;

let server: BookingServer;

beforeEach(() => {
  // The times of the fixtures lie two days ahead, whenever the tests run.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-22T05:30:00Z') });
  sessionStorage.clear();
  server = new BookingServer();
  server.everyDay = true;
});

afterEach(() => {
  vi.useRealTimers();
});

function Address() {
  return <p data-testid="address">{useLocation().search}</p>;
}

function open(path: string) {
  const page = (
    <main>
      <BookingFlowPage />
      <Address />
    </main>
  );
  renderApp(page, { path, transport: server.transport() });
  return userEvent.setup();
}

/** The starts in the address, in their places. */
function slots(): string[] {
  const address = screen.getByTestId('address').textContent ?? '';
  return (new URLSearchParams(address).get('slots') ?? '').split(',');
}

async function toPayment(person: ReturnType<typeof userEvent.setup>) {
  const tick = screen.getByLabelText<HTMLInputElement>('I agree to these simple terms');
  if (!tick.checked) await person.click(tick);
  await person.click(screen.getByRole('button', { name: 'Continue to Payment' }));
}

test('a package is chosen in place of one session, and its three dates are suggested', async () => {
  const person = open(FLOW);
  await person.click(await screen.findByRole('radio', { name: /^Starter Package/ }));
  await screen.findByRole('button', { name: 'Suggest three' });
  await person.click(screen.getByRole('button', { name: 'Continue to Payment' }));
  expect((await screen.findAllByText('Please choose three dates')).length).toBeGreaterThan(0);
  await expectAccessible();
  await person.click(await screen.findByRole('button', { name: 'Suggest three' }));
  await waitFor(() => expect(slots()).toEqual(DATES));
  await expectAccessible();
  await toPayment(person);
  await screen.findByRole('heading', { level: 1, name: 'Complete Your Payment' });
  expect(server.requests[0]).toMatchObject({ packageId: 'starter' });
  expect(server.requests[0]?.furtherStartsAt).toHaveLength(2);
  await expectAccessible();
});

test('of two dates that were taken both are chosen again, and the third is kept', async () => {
  const person = open(`${FLOW}&package=starter&slots=${DATES.join()}`);
  await screen.findByRole('radio', { name: /^Session 3/ });
  await screen.findByTestId('times');
  server.gone.add(DATES[0]).add(DATES[2]);
  await toPayment(person);
  await screen.findByText(/^Please choose another time for sessions 1 and 3\./);
  await waitFor(() => expect(slots()).toEqual(['', DATES[1], '']));
  expect(screen.getByText('Tue, 24 Nov, 11:00 am IST was just taken')).toBeTruthy();
  await expectAccessible();
  expect(screen.getByRole<HTMLInputElement>('radio', { name: /^Session 1/ }).checked).toBe(true);
});
