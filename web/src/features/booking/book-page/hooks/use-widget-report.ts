/** Says which booking the widget on another site, where it began, is to be told of. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { WidgetService } from '@/gen/booking/v1/widget_service_pb';
import { describeError } from '@/lib/errors';
import { randomKey } from '@/lib/random-key';

const RETRIES_MAX = 5;

type Report = { reportId: string; bookingId: string; idempotencyKey: string };

/**
 * The server says by itself how the booking stands, so this is said once for each booking. Whether it
 * arrives changes nothing for the client, who is shown no failure of it.
 */
export function useWidgetReport(reportId: string, bookingId: string): void {
  const transport = useTransport();
  const { mutate } = useMutation({
    mutationFn: (report: Report) => createClient(WidgetService, transport).reportBooking(report),
    retry: (count, error) => count < RETRIES_MAX && describeError(error).retryable,
  });
  useEffect(() => {
    if (reportId && bookingId) mutate({ reportId, bookingId, idempotencyKey: randomKey() });
  }, [reportId, bookingId, mutate]);
}
