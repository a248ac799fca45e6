import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation } from '@tanstack/react-query';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { sessionRows } from '@/features/booking/shared/components/booking-rows';
import { BookingSummary } from '@/features/booking/shared/components/booking-summary';
import { MeetingCard } from '@/features/booking/shared/components/meeting-card';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { type PaymentPage, PaymentPageService } from '@/gen/booking/v1/payment_page_service_pb';
import { formatPrice } from '@/lib/money';
import { usePractice } from '@/lib/practice';
import { bookingReference } from '@/lib/reference';
import { saveFile } from '@/lib/save-file';
import type { Zone } from '@/lib/time';
import { PayAccount } from './pay-account';

function CalendarFile({ pageKey }: { pageKey: string }) {
  const transport = useTransport();
  const file = useMutation({
    mutationFn: () => createClient(PaymentPageService, transport).getPageCalendarFile({ pageKey }),
    onSuccess: ({ filename, content }) =>
      saveFile(filename || 'session.ics', content, 'text/calendar;charset=utf-8'),
  });
  return (
    <>
      <Button
        variant="secondary"
        size="sm"
        className="self-start"
        busy={file.isPending}
        busyText="Preparing the file…"
        onClick={() => file.mutate()}
      >
        Add to calendar
      </Button>
      {file.error ? <ErrorNotice error={file.error} onRetry={() => file.mutate()} /> : null}
    </>
  );
}

type PaidProps = {
  pageKey: string;
  page: PaymentPage;
  booking: Booking;
  zone: Zone;
  refetch: () => void;
};

/** It is booked: where and when. The room stands on no page without an account. */
export function PaidPage({ pageKey, page, booking, zone, refetch }: PaidProps) {
  const rows = [
    ...sessionRows(booking, zone),
    { label: 'Price', value: formatPrice(page.price) },
    {
      label: 'Reference',
      value: <span className="numeric">{bookingReference(page.bookingId)}</span>,
    },
  ];
  return (
    <div className="flex flex-col gap-6">
      <BookingSummary title="Session Details" rows={rows}>
        <CalendarFile pageKey={pageKey} />
      </BookingSummary>
      <MeetingCard booking={booking} joinTo={`/join#key=${pageKey}`} />
      <PayAccount page={page} refetch={refetch} />
    </div>
  );
}

/** An address whose key is not right. */
export function WrongAddress() {
  const { phone } = usePractice();
  return (
    <Alert
      tone="warn"
      title="This address is not complete"
      action={
        <Button href={`tel:${phone}`} size="sm">
          Call us
        </Button>
      }
    >
      Please open the link in our mail again, or copy all of it. Nothing was charged.
    </Alert>
  );
}
