import { BookingService } from '@/gen/booking/v1/booking_service_pb';
import { connectGetKey } from '@/lib/connect-get';

/** The key of every read of starts. A request for one forgets them, and reads none itself. */
export const SLOTS_KEY = connectGetKey(BookingService.typeName, 'ListSlots');
