/** A client who makes the account that our mail and page ask for finds the booking. */
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { lacksProof } from '@/lib/proved-address';
import { adoptBookings } from './adopt-bookings';
import { FindBooking } from './find-booking';

vi.mock('@/lib/auth', async (original) => ({
  ...(await original<object>()),
  useAuth: () => ({ status: 'signed-in', user: { id: 'u1', email: 'asha@example.org' } }),
}));
vi.mock('@/lib/proved-address', () => ({ lacksProof: vi.fn() }));
vi.mock('./adopt-bookings', () => ({ adoptBookings: vi.fn() }));
vi.mock('@/features/account/components/prove-address', () => ({
  ProveAddress: ({ email, onProved }: { email: string; onProved: () => void }) => (
    <button type="button" onClick={onProved}>
      Confirm {email}
    </button>
  ),
}));

beforeEach(() => {
  vi.mocked(adoptBookings).mockReset().mockResolvedValue([]);
  vi.mocked(lacksProof).mockReset().mockResolvedValue(false);
});

test('an account whose address is not proved is offered the proof, and then reads again', async () => {
  vi.mocked(lacksProof).mockResolvedValue(true);
  const onFound = vi.fn();
  render(<FindBooking onFound={onFound} />);
  const prove = await screen.findByRole('button', { name: 'Confirm asha@example.org' });
  expect(onFound).not.toHaveBeenCalled();
  vi.mocked(adoptBookings).mockResolvedValue(['bkg_1']);
  await userEvent.click(prove);
  await waitFor(() => expect(onFound).toHaveBeenCalledOnce());
  expect(screen.queryByRole('button')).toBeNull();
});

test('a booking of a proved address becomes the account’s, and the page reads it', async () => {
  vi.mocked(adoptBookings).mockResolvedValue(['bkg_1']);
  const onFound = vi.fn();
  render(<FindBooking onFound={onFound} />);
  await waitFor(() => expect(onFound).toHaveBeenCalledOnce());
  expect(lacksProof).not.toHaveBeenCalled();
});

test('who has proved the address is asked for nothing', async () => {
  const onFound = vi.fn();
  const { container } = render(<FindBooking onFound={onFound} />);
  await waitFor(() => expect(lacksProof).toHaveBeenCalledOnce());
  expect(container.textContent).toBe('');
  expect(onFound).not.toHaveBeenCalled();
});
