import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect';
import { expect, test, vi } from 'vitest';
import { type Booking, BookingService, BookingState } from '@/gen/booking/v1/booking_service_pb';
import { BOOKING_ID, bookingFixture } from '@/testing/booking-fixture';
import { followBooking, retryDelayMs } from './follow-booking';

type Watch = (round: number) => AsyncGenerator<{ booking: Booking }>;

/** Follows until the reader has seen enough, and notes every pause. */
async function follow(watch: Watch, enough: (booking: Booking, seen: Booking[]) => boolean) {
  let round = 0;
  const getBooking = vi.fn(() => ({ booking: bookingFixture({ version: 7n }) }));
  const transport = createRouterTransport(({ service }) => {
    service(BookingService, {
      watchBooking: () => {
        round += 1;
        return watch(round);
      },
      getBooking,
    });
  });
  const stop = new AbortController();
  const seen: Booking[] = [];
  const pauses: number[] = [];
  await followBooking({
    client: createClient(BookingService, transport),
    bookingId: BOOKING_ID,
    signal: stop.signal,
    onBooking: (booking) => {
      seen.push(booking);
      if (enough(booking, seen)) stop.abort();
    },
    pause: async (ms) => {
      pauses.push(ms);
      if (pauses.length >= 6) stop.abort();
    },
  });
  return { seen, pauses, rounds: round, reads: getBooking.mock.calls.length };
}

test('a stream that ends is opened again at once', async () => {
  const result = await follow(
    async function* (round) {
      yield { booking: bookingFixture({ version: BigInt(round) }) };
    },
    (_, seen) => seen.length === 3,
  );
  expect(result.pauses).toEqual([]);
  expect(result.rounds).toBe(3);
});

test('a stream that fails is replaced by reads after 1, 2, 4, 8 and 8 seconds', async () => {
  const result = await follow(
    // biome-ignore lint/correctness/useYield: it fails before the first booking.
    async function* () {
      throw new ConnectError('down', Code.Unavailable);
    },
    () => false,
  );
  expect(result.pauses).toEqual([1000, 2000, 4000, 8000, 8000, 8000]);
  expect(result.reads).toBe(5);
});

test('a stream that is silent does not make a busy loop', async () => {
  const result = await follow(
    // biome-ignore lint/correctness/useYield: it ends before the first booking.
    async function* () {
      return;
    },
    () => false,
  );
  expect(result.pauses[0]).toBe(1000);
});

test('news ends the waiting', async () => {
  const result = await follow(
    async function* (round) {
      if (round === 1) throw new ConnectError('down', Code.Unavailable);
      yield { booking: bookingFixture({ version: 9n, state: BookingState.CONFIRMED }) };
    },
    (booking) => booking.state === BookingState.CONFIRMED,
  );
  expect(result.pauses).toEqual([1000]);
});

test('another customer’s booking is not read again', async () => {
  const result = await follow(
    // biome-ignore lint/correctness/useYield: it fails before the first booking.
    async function* () {
      throw new ConnectError('no', Code.NotFound);
    },
    () => false,
  );
  expect(result.rounds).toBe(1);
  expect(result.pauses).toEqual([]);
});

test('delays grow to eight seconds and stay there', () => {
  expect([0, 1, 2, 3, 4, 5, 99].map(retryDelayMs)).toEqual([
    1000, 1000, 2000, 4000, 8000, 8000, 8000,
  ]);
});
