/** The services that the desk calls, and how long one call is waited for. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMemo } from 'react';
import { BookingStaffService } from '@/gen/booking/v1/booking_staff_service_pb';

/**
 * A call on a bad network is given up after so long and made again with its key. Calls that ask for the
 * second step of just now have no such end: a person needs time for it.
 */
export const CALL = { timeoutMs: 20_000 };

export function useBookingStaff() {
  const transport = useTransport();
  return useMemo(() => createClient(BookingStaffService, transport), [transport]);
}
