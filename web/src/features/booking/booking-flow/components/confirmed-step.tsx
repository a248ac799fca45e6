import { Alert } from '@/components/ui/alert';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { graceLine, noticeHours, openSteps, refundHours } from '@/lib/cancellation';
import { formatPrice } from '@/lib/money';
import { formatPhone } from '@/lib/phone';
import { usePractice } from '@/lib/practice';
import { bookingReference } from '@/lib/reference';
import { formatDateTime, toDate, type Zone } from '@/lib/time';
import { useServerNow } from '@/lib/use-server-now';
import { isOnWord, sessionTimes } from '../../shared/booking-state';
import { sessionRows } from '../../shared/components/booking-rows';
import { BookingSummary } from '../../shared/components/booking-summary';
import { CalendarButtons } from '../../shared/components/calendar-buttons';
import { MeetingCard } from '../../shared/components/meeting-card';
import { isFree } from '../../shared/free-session';
import { moneyNotes, moneyRow } from '../../shared/money-notes';
import { MailNotice } from './mail-notice';

/**
 * Until when the session can be cancelled. A time in the past is not called "ended", because a
 * session that was booked inside the limit never had such a time.
 */
function CutOff({ booking, zone }: { booking: Booking; zone: Zone }) {
  const now = useServerNow();
  const [session] = booking.sessions;
  const times = sessionTimes(booking);
  if (!times || !session || times.startsAt.getTime() <= now) return null;
  const [step, ...later] = openSteps(session, now);
  const isWhole = step?.refund?.minorUnits === booking.price?.minorUnits;
  return (
    <p>
      {step?.untilAt ? (
        <>
          You can cancel it until <strong>{formatDateTime(toDate(step.untilAt), zone)}</strong>
          {isWhole ? '' : `, and ${formatPrice(step.refund)} of it comes back`}
          {later.map(({ untilAt, refund }) =>
            untilAt
              ? `, or for ${formatPrice(refund)} back until ${formatDateTime(toDate(untilAt), zone)}`
              : '',
          )}
          .
        </>
      ) : (
        <>
          It starts in less than {refundHours(booking.cancellationPolicy)} hours, so it can't be
          cancelled for a refund.
        </>
      )}{' '}
      <AppLink
        to={`/cancellation-policy?b=${booking.bookingId}`}
        className="text-brand underline underline-offset-4"
      >
        How that works
      </AppLink>
    </p>
  );
}

/** Nothing is lost by cancelling what has cost nothing, but its time is. */
function FreeCutOff() {
  const { phone } = usePractice();
  return (
    <p>
      Can't make it? Please{' '}
      <AppLink to="/contact" className="text-brand underline underline-offset-4">
        write to us
      </AppLink>{' '}
      or call{' '}
      <a href={`tel:${phone}`} className="text-brand underline underline-offset-4 numeric">
        {formatPhone(phone)}
      </a>
      , so someone else can have the time.
    </p>
  );
}

/** Each session of a package is cancelled by itself. */
function PackageCutOff({ booking }: { booking: Booking }) {
  const hours = noticeHours(booking.cancellationPolicy);
  return (
    <p>
      You can cancel each session until <strong>{hours} hours</strong> before it starts, and its
      share of the price comes back.{' '}
      <AppLink
        to={`/cancellation-policy?b=${booking.bookingId}`}
        className="text-brand underline underline-offset-4"
      >
        How that works
      </AppLink>
    </p>
  );
}

function AnyCutOff({ booking, zone }: { booking: Booking; zone: Zone }) {
  if (isFree(booking)) return <FreeCutOff />;
  const grace = graceLine(booking.cancellationPolicy);
  return (
    <>
      {booking.package ? (
        <PackageCutOff booking={booking} />
      ) : (
        <CutOff booking={booking} zone={zone} />
      )}
      {grace ? <p>{grace}.</p> : null}
    </>
  );
}

type ConfirmedStepProps = { booking: Booking; zone: Zone; onComplete: () => void };

/** "Booking Confirmed!": everything about the session on one page, which can be opened again. */
export function ConfirmedStep({ booking, zone, onComplete }: ConfirmedStepProps) {
  const free = isFree(booking);
  const isPaid = !free && !isOnWord(booking);
  const rows = [
    ...sessionRows(booking, zone),
    // The practice may have confirmed on the customer's word, before the payment was seen.
    moneyRow(booking),
    {
      label: 'Reference',
      value: <span className="numeric">{bookingReference(booking.bookingId)}</span>,
    },
  ];
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <BookingSummary title="Session Details" rows={rows}>
        <CalendarButtons booking={booking} />
        {isPaid ? (
          <AppLink
            to={`/receipt?b=${booking.bookingId}`}
            className="inline-flex min-h-11 items-center self-start font-semibold text-brand hover:underline"
          >
            Receipt
          </AppLink>
        ) : null}
      </BookingSummary>
      <div className="flex flex-col gap-6">
        {moneyNotes(booking).map(({ title, tone, text }) => (
          <Alert key={title} tone={tone} title={title}>
            {text}
          </Alert>
        ))}
        <MeetingCard booking={booking} joinTo={`/join/${booking.bookingId}`} />
        <MailNotice booking={booking} />
        <AnyCutOff booking={booking} zone={zone} />
        <Button size="lg" onClick={onComplete}>
          Complete Booking
        </Button>
        <AppLink
          to="/account/sessions"
          className="inline-flex min-h-11 items-center self-start font-semibold text-brand hover:underline"
        >
          Your sessions
        </AppLink>
      </div>
    </div>
  );
}
