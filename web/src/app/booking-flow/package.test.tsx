/** A package in the booking flow, with a server that a test plays. */
import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { beginEach, openPage, type Person, slots } from '@/testing/booking-page';
import { BookingServer } from '@/testing/booking-server';
import { ASHA } from '@/testing/played-client';
import BookingFlowPage from '../routes/booking-flow';
// Loaded with the tests, so that none of them waits for it.
import '@/features/booking/shared/components/package-calendar';
import './schedule-screen';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

const FLOW = '/booking-flow?service=mental-health&step=calendar-terms';
/** Weekly at eleven, as it is suggested. */
const DATES = ['2026-11-24T05:30:00Z', '2026-12-01T05:30:00Z', '2026-12-08T05:30:00Z'] as const;

let server: BookingServer;

beginEach({ user: ASHA });

beforeEach(() => {
  server = new BookingServer();
  server.everyDay = true;
});

function open(path: string) {
  return openPage(BookingFlowPage, { path, transport: server.transport() });
}

async function toPayment(person: Person) {
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
