/**
 * Hands the bookings that staff made by phone over to the account that proved their address. The
 * call is plain, so that a page that asks nothing else does not load Connect's runtime for it.
 */
import { accessToken } from '@/lib/auth';
import { RPC_BASE } from '@/lib/env';

const METHOD = 'booking.v1.BookingService/AdoptBookings';

/** The bookings that became the account's. The server knows which address is proved, and answers every
 * other account with nothing. */
export async function adoptBookings(): Promise<string[]> {
  const token = await accessToken();
  if (!token) return [];
  const answer = await fetch(`${RPC_BASE}/${METHOD}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Connect-Protocol-Version': '1',
      Authorization: `Bearer ${token}`,
    },
    body: '{}',
  });
  // A body that is not read keeps its connection busy.
  const text = await answer.text();
  if (!answer.ok) return [];
  return (JSON.parse(text) as { bookingIds?: string[] }).bookingIds ?? [];
}
