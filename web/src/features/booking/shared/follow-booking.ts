/** Keeps a booking up to date: a stream that is opened again and again, and reads in between. */
import type { Client } from '@connectrpc/connect';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Booking, BookingService } from '@/gen/booking/v1/booking_service_pb';
import { wait } from '@/lib/wait';

/** After so many seconds each failure in a row is followed by another try. */
const RETRY_SECONDS: readonly number[] = [1, 2, 4, 8];

const FINAL = new Set([Code.NotFound, Code.PermissionDenied, Code.InvalidArgument]);

export function retryDelayMs(failures: number): number {
  const index = Math.min(Math.max(failures, 1), RETRY_SECONDS.length) - 1;
  return (RETRY_SECONDS[index] ?? 1) * 1000;
}

type Follow = {
  client: Client<typeof BookingService>;
  bookingId: string;
  signal: AbortSignal;
  onBooking: (booking: Booking) => void;
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
};

function isFinal(error: unknown): boolean {
  return error instanceof ConnectError && FINAL.has(error.code);
}

/** Reads the stream to its end and says whether it brought anything. */
async function listen({ client, bookingId, signal, onBooking }: Follow): Promise<boolean> {
  let heard = false;
  for await (const { booking } of client.watchBooking({ bookingId }, { signal })) {
    if (!booking || signal.aborted) continue;
    heard = true;
    onBooking(booking);
  }
  return heard;
}

async function read({ client, bookingId, signal, onBooking }: Follow): Promise<void> {
  try {
    const { booking } = await client.getBooking({ bookingId }, { signal });
    if (booking && !signal.aborted) onBooking(booking);
  } catch {
    // The next round tries again.
  }
}

/** Runs until the signal is aborted, or until the booking turns out not to exist for the caller. */
export async function followBooking(follow: Follow): Promise<void> {
  const { signal, pause = wait } = follow;
  let failures = 0;
  while (!signal.aborted) {
    try {
      failures = (await listen(follow)) ? 0 : failures + 1;
    } catch (error) {
      if (isFinal(error)) return;
      failures += 1;
    }
    if (signal.aborted || failures === 0) continue;
    await pause(retryDelayMs(failures), signal);
    if (!signal.aborted) await read(follow);
  }
}
