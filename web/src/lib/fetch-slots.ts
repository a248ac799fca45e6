/** The same by Connect itself, which says what is wrong. Loaded when a plain read fails. */
import { createClient } from '@connectrpc/connect';
import { BookingService } from '@/gen/booking/v1/booking_service_pb';
import type { Call, SlotsInput } from './read-slots';

export function fetchSlots(input: SlotsInput, { transport, signal }: Call) {
  return createClient(BookingService, transport).listSlots(input, { signal });
}
