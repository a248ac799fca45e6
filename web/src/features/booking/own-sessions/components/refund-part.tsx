/** Asking for a refund of a session that has begun, and what became of it. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { DeskWay } from '@/gen/common/v1/money_pb';
import {
  type GetRefundRequestResponse,
  type RefundRequest,
  RefundRequestState,
} from '@/gen/payments/v1/refund_request_service_pb';
import { formatPrice } from '@/lib/money';
import { usePracticeZone } from '@/lib/practice';
import { formatDate, toDate } from '@/lib/time';
import { isPlaced } from '../../shared/booking-state';
import { useRefundRequest } from '../hooks/use-refund-request';
import { shortTime } from '../refund-words';
import { RefundDialog } from './refund-dialog';

export type RefundPartProps = { booking: Booking; userId: string; now: number };

type Asked = { booking: Booking; request: RefundRequest; now: number };

function Open({ request: { answerByAt }, now }: Asked) {
  const zone = usePracticeZone();
  if (!answerByAt) return <p>We answer as soon as we can.</p>;
  const until = toDate(answerByAt);
  if (until.getTime() > now) {
    return (
      <p>
        You get our answer by <strong className="numeric">{shortTime(until, zone)}</strong>.
      </p>
    );
  }
  return (
    <p>
      You should have had our answer by {shortTime(until, zone)}. We are sorry; please{' '}
      <AppLink to="/contact" className="font-semibold text-brand underline">
        write to us
      </AppLink>
      .
    </p>
  );
}

function Granted({ booking, request: { amount, closeByAt } }: Asked) {
  const zone = usePracticeZone();
  const sum = formatPrice(amount);
  if (booking.paidAtDesk !== DeskWay.UNSPECIFIED) {
    return <p className="text-lg font-semibold numeric">You get {sum} back at the practice.</p>;
  }
  return (
    <>
      <p className="text-lg font-semibold numeric">{sum} goes back to you.</p>
      {closeByAt ? (
        <p className="numeric">
          It should be back with you by {formatDate(toDate(closeByAt), zone)}.
        </p>
      ) : null}
    </>
  );
}

function Standing(props: Asked) {
  switch (props.request.state) {
    case RefundRequestState.GRANTED:
      return <Granted {...props} />;
    case RefundRequestState.DECLINED:
      return <p>We have answered: no money goes back.</p>;
    default:
      return <Open {...props} />;
  }
}

type QuotedProps = { title: string; children: string };

function Quoted({ title, children }: QuotedProps) {
  if (!children) return null;
  return (
    <div>
      <p className="text-ink-2">{title}</p>
      <p dir="auto" className="whitespace-pre-line wrap-break-word">
        {children}
      </p>
    </div>
  );
}

/** Where the request stands. After it was asked for here, it takes the focus of the button. */
function RequestCard({ isNew, ...props }: Asked & { isNew: boolean }) {
  const zone = usePracticeZone();
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isNew) frame.current?.focus();
  }, [isNew]);
  const { number, requestedAt, reason, answer } = props.request;
  return (
    <div ref={frame} tabIndex={-1} className="scroll-mt-24">
      <Card className="flex flex-col gap-3">
        <h2 className="text-h3 numeric">Your refund request {number}</h2>
        <div role="status" className="flex flex-col gap-1">
          <Standing {...props} />
        </div>
        <Quoted title="Our answer">{answer}</Quoted>
        {requestedAt ? (
          <p className="text-sm text-ink-2 numeric">
            Asked on {shortTime(toDate(requestedAt), zone)}.
          </p>
        ) : null}
        <Quoted title="Your reason">{reason}</Quoted>
      </Card>
    </div>
  );
}

/** Until when a refund can be asked for; nothing where it can't be. */
function askableUntil({ fromAt, untilAt }: GetRefundRequestResponse, now: number) {
  if (!fromAt || !untilAt) return undefined;
  const until = toDate(untilAt);
  return toDate(fromAt).getTime() <= now && now < until.getTime() ? until : undefined;
}

export function RefundPart({ booking, userId, now }: RefundPartProps) {
  const zone = usePracticeZone();
  const { bookingId } = booking;
  const { data, error, refetch } = useRefundRequest({ bookingId, userId });
  const [asking, setAsking] = useState(false);
  const [isNew, setNew] = useState(false);
  const close = useCallback(() => setAsking(false), []);
  if (!data) {
    const title = "We can't say whether you can ask for a refund";
    return error ? <ErrorNotice error={error} title={title} onRetry={refetch} /> : null;
  }
  const { request } = data;
  // What was asked for without an answer is read, and takes the place of its dialog.
  if (request) return <RequestCard {...{ booking, request, now }} isNew={isNew || asking} />;
  const until = askableUntil(data, now);
  if (!isPlaced(booking) || (!until && !asking)) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-1">
      Not satisfied?
      <Button variant="quiet" size="sm" onClick={() => setAsking(true)}>
        {until ? `Ask for a refund until ${shortTime(until, zone)}` : 'Ask for a refund'}
      </Button>
      {asking ? (
        <RefundDialog
          {...{ bookingId, userId }}
          onClose={close}
          onAsked={() => {
            close();
            setNew(true);
          }}
        />
      ) : null}
    </div>
  );
}
