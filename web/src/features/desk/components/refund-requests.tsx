/** For owners and admins: what the client of a booking asks back, where it stands, and the answer to it. */
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import {
  type RefundRequest,
  RefundRequestState,
} from '@/gen/payments/v1/refund_request_service_pb';
import { serverNow } from '@/lib/clock';
import { usePracticeZone } from '@/lib/practice';
import { useRefundRequests } from '../hooks/use-refund-requests';
import { stateWords } from '../model/refund-requests';
import { RefundReason } from './refund-reason';
import { RefundRequestDialog } from './refund-request-dialog';
import { StaleNotice } from './stale-notice';

type AnswerActProps = { request: RefundRequest; booking: Booking };

/** Opens the second step. */
export function AnswerAct({ request, booking }: AnswerActProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="sm" variant="secondary" onClick={() => setOpen(true)}>
        Answer {request.number}…
      </Button>
      {open ? (
        <RefundRequestDialog request={request} booking={booking} onClose={() => setOpen(false)} />
      ) : null}
    </>
  );
}

function Answered({ request: { answer } }: { request: RefundRequest }) {
  return (
    <div className="flex flex-col gap-1">
      <p className="text-sm text-ink-2">What the client was told</p>
      <p dir="auto" className="whitespace-pre-line wrap-break-word">
        {answer}
      </p>
    </div>
  );
}

export function RefundRequests({ booking }: { booking: Booking }) {
  const zone = usePracticeZone();
  const { requests = [], error, dataUpdatedAt, refetch } = useRefundRequests(booking.bookingId);
  return (
    <>
      <StaleNotice
        error={error}
        readAt={dataUpdatedAt}
        what="Refund requests"
        onRetry={() => void refetch()}
      />
      {requests.map((request) => (
        <section
          key={request.requestId}
          aria-label={`Refund request ${request.number}`}
          className="flex flex-col items-start gap-2"
        >
          <h3 className="text-base font-semibold">Refund request {request.number}</h3>
          <p className="numeric">{stateWords(request, serverNow(), zone)}</p>
          <RefundReason request={request} />
          {request.state === RefundRequestState.OPEN ? (
            <AnswerAct request={request} booking={booking} />
          ) : (
            <Answered request={request} />
          )}
        </section>
      ))}
    </>
  );
}
