/** /account/sessions/<booking>: also of one that was made on the phone. */
import { FindBooking } from '@/app/find-booking';
import type { PageProps } from '@/app/lazy-page';
import { OwnSessionPage } from '@/features/booking/own-sessions/components/own-session-page';

export default function OwnSessionRoute({ params }: PageProps) {
  return (
    <OwnSessionPage
      bookingId={params.bookingId ?? ''}
      missing={(refetch) => <FindBooking onFound={refetch} />}
    />
  );
}
