/** The starts of some days: read plainly, and by Connect where that fails. */

import type { ListSlotsResponse, Slot } from '@/gen/booking/v1/booking_service_pb';
import { connectGet, connectGetOr, type Shape, TIMESTAMP } from './connect-get';
import type { Call, SlotsInput } from './fetch-slots';
import { importWithRetry } from './import-with-retry';
import { toDate } from './time';

export const BOOKING = 'booking.v1.BookingService';

const SLOT = { startsAt: TIMESTAMP, endsAt: TIMESTAMP, available: false } as unknown as Shape<Slot>;

/** The answer's zero values; read-slots.test.ts holds them to the contract. */
export const SLOTS_ANSWER = {
  days: [{ date: '', slots: [SLOT], closed: false }],
  timeZone: '',
  timeZoneLabel: '',
  nextAvailableAt: TIMESTAMP,
  lastDate: '',
} as unknown as Shape<ListSlotsResponse>;

export function readSlots(input: SlotsInput, call: Call): Promise<ListSlotsResponse> {
  const { signal } = call;
  const plain = connectGet<ListSlotsResponse>(`${BOOKING}/ListSlots`, SLOTS_ANSWER, {
    input,
    signal,
  });
  return connectGetOr(
    plain,
    async () => (await importWithRetry(() => import('./fetch-slots'))).fetchSlots(input, call),
    signal,
  );
}

/**
 * The earliest free start of a service, or nothing where none is free. Pages that only mention it
 * do without Connect's words for what is wrong.
 */
export async function readNextFree(
  serviceId: string,
  signal: AbortSignal,
): Promise<Date | undefined> {
  const input = { serviceId, fromDate: '', days: 1 };
  const answer = await connectGet<ListSlotsResponse>(`${BOOKING}/ListSlots`, SLOTS_ANSWER, {
    input,
    signal,
  });
  return answer.nextAvailableAt ? toDate(answer.nextAvailableAt) : undefined;
}
