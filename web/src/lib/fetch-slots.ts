/** The same by Connect itself, which says what is wrong. Loaded when a plain read fails. */
import { createClient, type Transport } from '@connectrpc/connect';
import { BookingService } from '@/gen/booking/v1/booking_service_pb';
import type { listSlots } from '@/gen/booking/v1/list_slots_read';
import type { InputOf } from './connect-get';

export type SlotsInput = InputOf<typeof listSlots>;
export type Call = { transport: Transport; signal: AbortSignal };

export function fetchSlots(input: SlotsInput, { transport, signal }: Call) {
  return createClient(BookingService, transport).listSlots(input, { signal });
}
