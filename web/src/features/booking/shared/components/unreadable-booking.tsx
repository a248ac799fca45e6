import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import type { BookingReading } from '../hooks/use-booking';

type UnreadableBookingProps = { reading: BookingReading; onChoose: () => void };

/** A booking that cannot be read: it is not there, or no answer came. */
export function UnreadableBooking({ reading, onChoose }: UnreadableBookingProps) {
  const { error, refetch, isMissing } = reading;
  if (!isMissing) return <ErrorNotice error={error} onRetry={refetch} />;
  return (
    <ErrorNotice
      error={error}
      title="Booking details not found"
      action={
        <Button variant="secondary" size="sm" onClick={onChoose}>
          Choose a time
        </Button>
      }
    />
  );
}
