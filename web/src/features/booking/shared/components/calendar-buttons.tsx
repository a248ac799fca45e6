import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation } from '@tanstack/react-query';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { type Booking, BookingService } from '@/gen/booking/v1/booking_service_pb';
import { usePractice } from '@/lib/practice';
import { saveFile } from '@/lib/save-file';
import { googleCalendarUrl } from '../google-calendar';

type CalendarButtonsProps = {
  booking: Booking;
  /** Brings the file without a sign-in. The entry of a calendar on the web leads to a page that needs one. */
  file?: (() => Promise<{ filename: string; content: string }>) | undefined;
};

/** The calendar file, and the address for people who use a calendar on the web. */
export function CalendarButtons({ booking, file: given }: CalendarButtonsProps) {
  const transport = useTransport();
  const { name } = usePractice();
  const file = useMutation({
    mutationFn: async () => {
      if (given) return given();
      const { bookingId } = booking;
      return createClient(BookingService, transport).getCalendarFile({ bookingId });
    },
    onSuccess: ({ filename, content }) =>
      saveFile(filename || 'session.ics', content, 'text/calendar;charset=utf-8'),
  });
  const google = given ? undefined : googleCalendarUrl(booking, name, window.location.origin);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-3">
        <Button
          variant="secondary"
          size="sm"
          busy={file.isPending}
          busyText="Preparing the file…"
          onClick={() => file.mutate()}
        >
          Add to calendar
        </Button>
        {google ? (
          <Button href={google} target="_blank" rel="noopener noreferrer" variant="quiet" size="sm">
            Google Calendar<span className="sr-only"> (opens in a new tab)</span>
          </Button>
        ) : null}
      </div>
      {file.error ? <ErrorNotice error={file.error} onRetry={() => file.mutate()} /> : null}
    </div>
  );
}
