/** /book-session: free times, the gate, and the way into /book. */
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { BookingServer } from '@/testing/booking-server';
import { renderApp, writtenApp } from '@/testing/render-app';
import BookSessionPage from './routes/book-session';
import '@/features/catalogue/components/free-times';

const auth = vi.hoisted(() => ({ status: 'signed-out' }));
const went = vi.hoisted(() => vi.fn());

vi.mock('@/lib/auth', () => ({ useAuth: () => ({ status: auth.status, user: undefined }) }));
vi.mock('@/lib/use-go', () => ({ useGo: () => went }));

const CHOSEN = '/book-session?service=meditation&slot=2026-11-24T05:30:00Z';

beforeEach(() => {
  auth.status = 'signed-out';
  went.mockReset();
});

function open(path: string) {
  const transport = new BookingServer().transport();
  renderApp(
    <main>
      <BookSessionPage />
    </main>,
    { path, transport },
  );
  return userEvent.setup();
}

test('a visitor chooses a time and meets the gate, which comes back to it', async () => {
  const person = open('/book-session?service=meditation');
  await person.click(await screen.findByRole('link', { name: /^11:00 am IST/ }));
  await screen.findByRole('heading', { level: 2, name: 'Sign In Required' });
  await expectAccessible();
  const link = screen.getByRole('link', { name: 'Sign In' }).getAttribute('href') ?? '';
  expect(new URL(link, 'http://x').searchParams.get('return')).toBe(CHOSEN);
  expect(screen.getByRole('link', { name: 'Create New Account' })).toBeTruthy();
  await person.click(screen.getByRole('link', { name: 'Cancel' }));
  expect(await screen.findByText('You left the sign-in')).toBeTruthy();
  expect(screen.queryByRole('heading', { name: 'Sign In Required' })).toBeNull();
});

test('a signed-in client is led into /book with the chosen time', async () => {
  auth.status = 'signed-in';
  open(CHOSEN);
  const target = '/book?service=meditation&slot=2026-11-24T05:30:00Z&step=calendar-terms';
  await waitFor(() => expect(went).toHaveBeenCalledWith(target, { replace: true }));
});

test('an unknown session is answered, and the written page has no gate', async () => {
  open('/book-session?service=levitation&slot=2026-11-24T05:30:00Z');
  expect(await screen.findByText("We don't offer this session")).toBeTruthy();
  expect(writtenApp(<BookSessionPage />, { path: CHOSEN })).not.toContain('Sign In Required');
});
