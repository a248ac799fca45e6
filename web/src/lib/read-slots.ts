/** The starts of some days: read plainly, and by Connect where that fails. */

import type { ListSlotsResponse } from '@/gen/booking/v1/booking_service_pb';
import { listSlots } from '@/gen/booking/v1/list_slots_read';
import { connectGet, connectGetOr } from './connect-get';
import type { Call, SlotsInput } from './fetch-slots';
import { importWithRetry } from './import-with-retry';
import { toDate } from './time';

export const BOOKING = 'booking.v1.BookingService';

export function readSlots(input: SlotsInput, call: Call): Promise<ListSlotsResponse> {
  const { signal } = call;
  return connectGetOr(
    connectGet(listSlots, { input, signal }),
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
  const answer = await connectGet(listSlots, { input, signal });
  return answer.nextAvailableAt ? toDate(answer.nextAvailableAt) : undefined;
}
