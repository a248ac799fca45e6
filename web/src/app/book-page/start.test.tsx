/** The first view of /book, for a visitor. */
import { screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { address, openPage } from '@/testing/booking-page';
import { BookingServer } from '@/testing/booking-server';
import { writtenApp } from '@/testing/render-app';
import BookPage from '../routes/book';
// Loaded with the tests, so that none of them waits for it.
import '@/features/booking/book-page/components/package-times';
import '@/features/catalogue/components/free-times';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

const CONSENT = '/book?service=general-consultation&slot=2026-11-24T05:30:00Z&step=calendar-terms';

function open(path: string) {
  return openPage(BookPage, { path, transport: new BookingServer().transport() });
}

test('the written page is the first view of a visitor, whatever the address asks', () => {
  const html = writtenApp(<BookPage />, { path: CONSENT });
  for (const said of ['How It Works', 'Payment Options', 'Crisis Support', 'Free times', '14416']) {
    expect(html).toContain(said);
  }
});

test('an unknown service is answered, with sessions to choose from', async () => {
  open('/book?service=levitation');
  await screen.findByText("We don't offer this session");
  expect(screen.getByLabelText('Session')).toHaveProperty('value', 'general-consultation');
});

test('an unknown package is answered, with sessions to choose from', async () => {
  open('/book?package=none');
  expect(await screen.findByText("We don't offer this package")).toBeTruthy();
  expect(await screen.findByRole('link', { name: /^11:00 am IST/ })).toBeTruthy();
});

test('a package is chosen like a session, and left again', async () => {
  const person = open('/book?service=relationship-counseling');
  const choice = await screen.findByLabelText('Session');
  await person.selectOptions(choice, 'Starter Package · 3 sessions · ₹4,500');
  expect(address()).toBe('/book?service=relationship-counseling&package=starter');
  expect(await screen.findByText('Starter Package: 3 sessions for ₹4,500')).toBeTruthy();
  expect(await screen.findByRole('group', { name: 'Your three dates' })).toBeTruthy();
  await person.selectOptions(screen.getByLabelText('Kind of session'), 'mental-health');
  expect(address()).toBe('/book?service=mental-health&package=starter');
  const kinds = [...screen.getByLabelText('Kind of session').children];
  expect(kinds.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Mental Health .*₹1,500 singly$/),
    expect.stringMatching(/^Relationship .*₹2,000 singly$/),
    expect.stringMatching(/^Karmic .*₹2,100 singly$/),
  ]);
  await person.selectOptions(screen.getByLabelText('Session'), 'energy-healing');
  expect(address()).toBe('/book?service=energy-healing');
});

test('another session shows its own times', async () => {
  const person = open('/book?service=energy-healing');
  const choice = await screen.findByLabelText('Session');
  await waitFor(() => expect(choice).toHaveProperty('value', 'energy-healing'));
  await person.selectOptions(choice, 'meditation');
  expect(address()).toBe('/book?service=meditation');
});
