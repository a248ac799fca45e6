import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { usePractice } from '@/lib/practice';
import { isOnline } from '../booking-state';

function OnlineMeeting({ joinTo }: { joinTo: string }) {
  return (
    <>
      <p>
        You join on a page of ours, where the room opens 10 minutes before your session. We mail you
        the link as well.
      </p>
      <div>
        <Button to={joinTo} size="sm">
          Open the session's page
        </Button>
      </div>
    </>
  );
}

type MeetingCardProps = {
  booking: Booking;
  /** The page that leads to its sessions online. */
  joinTo: string;
};

/** Where the session takes place. */
export function MeetingCard({ booking, joinTo }: MeetingCardProps) {
  const { address } = usePractice();
  const online = isOnline(booking);
  return (
    <Card className="flex flex-col gap-3">
      <h2 className="text-h3">Meeting Information</h2>
      {online ? (
        <OnlineMeeting joinTo={joinTo} />
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
