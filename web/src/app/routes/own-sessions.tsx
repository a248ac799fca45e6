/** /account/sessions: also of bookings that were made on the phone, once they are the account's. */
import { FindBooking } from '@/app/find-booking';
import { OwnSessionsPage } from '@/features/booking/own-sessions/components/own-sessions-page';

export default function OwnSessionsRoute() {
  return <OwnSessionsPage missing={(refetch) => <FindBooking onFound={refetch} />} />;
}
