import { useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { usePracticeZone } from '@/lib/practice';
import { formatTime, toDate } from '@/lib/time';
import type { UrlMoves } from '@/lib/use-url-state';
import { isLive } from '../../shared/booking-state';
import { useBooking } from '../../shared/hooks/use-booking';
import type { BookUrl } from '../book-url';
import { readHeldAnywhere } from '../held-anywhere';

type KeptBookingProps = { userId: string; moves: UrlMoves<BookUrl> };

/** Leads a client back to a time that is held, also when the browser was closed meanwhile. */
export function KeptBooking({ userId, moves }: KeptBookingProps) {
  const [bookingId] = useState(readHeldAnywhere);
  const zone = usePracticeZone();
  const { booking } = useBooking(bookingId, userId);
  if (!booking || !isLive(booking) || !booking.heldUntilAt) return null;
  const until = formatTime(toDate(booking.heldUntilAt), zone);
  const { serviceTitle, sessions, package: booked } = booking;
  return (
    <Alert
      title={booked ? `Your times are kept until ${until}` : `Your time is kept until ${until}`}
      action={
        <Button size="sm" onClick={() => moves.push({ step: 'payment', bookingId })}>
          Go On to Payment
        </Button>
      }
    >
      {booked ? `${booked.title}, ${sessions.length} sessions of ` : ''}
      {serviceTitle}: you have not paid for {booked ? 'them' : 'it'} yet.
    </Alert>
  );
}
