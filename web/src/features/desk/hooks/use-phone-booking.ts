/** Books a time for a client on the phone, who agrees and pays on the page that is returned. */

import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { SessionMode } from '@/gen/booking/v1/booking_service_pb';
import type { RequestPhoneBookingResponse } from '@/gen/booking/v1/booking_staff_service_pb';
import type { Caller } from '../model/new-booking';
import { useDeskNews } from './use-bookings';
import { useCommand } from './use-command';
import { CALL, useBookingStaff } from './use-desk-clients';

export type PhoneBooking = {
  serviceId: string;
  practitionerId: string;
  mode: SessionMode;
  start: string;
  caller: Caller;
  holdMinutes: number;
  sendMail: boolean;
};

export function usePhoneBooking(
  onBooked: (answer: RequestPhoneBookingResponse) => void,
  onFailed: () => void,
) {
  const staff = useBookingStaff();
  const { refresh } = useDeskNews();
  return useCommand(
    ({ caller, start, ...asked }: PhoneBooking) => ({
      name: 'phone-booking',
      parts: [JSON.stringify({ caller, start, ...asked })],
      send: (idempotencyKey) => {
        const startsAt = [timestampFromDate(new Date(start))];
        return staff.requestPhoneBooking(
          { ...asked, idempotencyKey, startsAt, contact: caller },
          CALL,
        );
      },
    }),
    (answer) => {
      void refresh();
      onBooked(answer);
    },
    () => {
      void refresh();
      onFailed();
    },
  );
}
