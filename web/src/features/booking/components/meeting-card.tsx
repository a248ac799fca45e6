import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Spinner } from '@/components/ui/spinner';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { usePractice } from '@/lib/practice';
import { isOnline } from '../booking-state';

function OnlineMeeting({ booking }: { booking: Booking }) {
  if (!booking.joinUrl) {
    return (
      <p role="status" className="flex gap-3">
        <Spinner className="mt-1" />
        <span>
          Your meeting link follows: we are preparing the room. It appears here, and we mail it to
          you, so you may close this page.
        </span>
      </p>
    );
  }
  return (
    <>
      <p>
        Your meeting link:{' '}
        <a
          href={booking.joinUrl}
          target="_blank"
          rel="noopener noreferrer"
          className="break-all font-semibold text-brand underline underline-offset-4"
        >
          {booking.joinUrl}
          <span className="sr-only"> (opens in a new tab)</span>
        </a>
      </p>
      <p className="text-sm text-ink-2">It is meant for you alone; please do not pass it on.</p>
      <div>
        <Button href={booking.joinUrl} target="_blank" rel="noopener noreferrer" size="sm">
          Open the meeting room
        </Button>
      </div>
    </>
  );
}

/** Where the session takes place. */
export function MeetingCard({ booking }: { booking: Booking }) {
  const { address } = usePractice();
  const online = isOnline(booking);
  return (
    <Card className="flex flex-col gap-3">
      <h2 className="text-h3">Meeting Information</h2>
      {online ? (
        <OnlineMeeting booking={booking} />
      ) : (
        <p>
          We meet at <strong>{booking.location || address}</strong>.
        </p>
      )}
      <p>
        {online
          ? 'Please join 5 minutes early, from a quiet place with a good connection.'
          : 'Please come 5 minutes early; there is a quiet chair for you.'}
      </p>
    </Card>
  );
}
