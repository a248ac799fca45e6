import type { ReactNode } from 'react';
import { Alert } from '@/components/ui/alert';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { type Booking, MailState } from '@/gen/booking/v1/booking_service_pb';
import { graceLine, noticeHours, openSteps } from '@/lib/cancellation';
import { serverNow } from '@/lib/clock';
import { formatPhone } from '@/lib/phone';
import { bookingReference } from '@/lib/reference';
import { shownAddress } from '@/lib/shown-address';
import { toDate, type Zone } from '@/lib/time';
import { isOnline, isOnWord } from '../../shared/booking-state';
import { practitionerRows, timeRows, titleRows } from '../../shared/components/booking-rows';
import { BookingSummary, type SummaryRow } from '../../shared/components/booking-summary';
import { CalendarButtons } from '../../shared/components/calendar-buttons';
import { MAIL_FAILED, mailFailedMessage } from '../../shared/mail-messages';
import { countWord } from '../../shared/package-dates';

function rowsOf(booking: Booking, zone: Zone): SummaryRow[] {
  const { contact } = booking;
  return [
    ...titleRows(booking),
    ...practitionerRows(booking),
    ...timeRows(booking, zone),
    ...(contact ? [{ label: 'Email', value: shownAddress(contact.email) }] : []),
    ...(contact?.phone ? [{ label: 'Phone', value: formatPhone(contact.phone) }] : []),
  ];
}

/** Whether the confirmation was sent, as far as is known. */
function mailWords(booking: Booking): string {
  const to = booking.contact?.email ? ` to ${shownAddress(booking.contact.email)}` : '';
  if (booking.mailState === MailState.SENT) return `A confirmation email was sent${to}.`;
  return `A confirmation email${to} is on its way.`;
}

/** How many hours before its start a client is reminded of a session. */
const REMINDER_HOURS = 24;
const HOUR_MS = 3_600_000;

/** A session that was booked later than its reminder has none. */
function reminderWords({ sessions, package: booked }: Booking): string {
  const ahead = sessions.filter(
    ({ startsAt }) =>
      startsAt && toDate(startsAt).getTime() - serverNow() > REMINDER_HOURS * HOUR_MS,
  );
  if (ahead.length === 0) return '';
  if (!booked) return `We remind you ${REMINDER_HOURS} hours before your session.`;
  const which = ahead.length < sessions.length ? 'each later session' : 'each session';
  return `We remind you ${REMINDER_HOURS} hours before ${which}.`;
}

/** A package has one room for all its sessions. */
function linkWords({ package: booked, sessions }: Booking): string {
  const same = ` It's the same for all ${countWord(sessions.length)}.`;
  return `Your meeting link is included.${booked ? same : ''}`;
}

function WhatsNext({ booking }: { booking: Booking }) {
  const reminder = reminderWords(booking);
  return (
    <Card className="flex flex-col gap-3">
      <h2 className="text-h3">What's Next</h2>
      <ul className="flex list-disc flex-col gap-1.5 pl-5">
        {booking.mailState === MailState.FAILED ? null : <li>{mailWords(booking)}</li>}
        <li>{linkWords(booking)}</li>
        {reminder ? <li>{reminder}</li> : null}
        <li>Please join 5 minutes early.</li>
      </ul>
      {booking.mailState === MailState.FAILED ? (
        <Alert tone="warn" title={MAIL_FAILED}>
          {mailFailedMessage(booking)} Your booking stands; everything you need is on this page.
        </Alert>
      ) : null}
    </Card>
  );
}

/** The page that leads to the booking's sessions; the room opens there ten minutes before. */
function MeetingLink({ booking }: { booking: Booking }) {
  return (
    <Button href={`/join/${booking.bookingId}`} target="_blank" rel="noopener noreferrer" size="lg">
      Save Meeting Link<span className="sr-only"> (opens in a new tab)</span>
    </Button>
  );
}

function Notes({ booking }: { booking: Booking }) {
  const several = booking.package !== undefined;
  return (
    <div className="flex flex-col gap-3">
      <Alert
        tone="ok"
        title={several ? 'Your sessions are in our calendar' : 'Your session is in our calendar'}
      >
        Its booking id is{' '}
        <span className="font-semibold numeric">{bookingReference(booking.bookingId)}</span>. Please
        quote it when you write to us.
      </Alert>
      <Alert title="Follow-up Email Scheduled">
        After the {several ? 'last ' : ''}session we write to you, and you can tell us how it was.
      </Alert>
    </div>
  );
}

function Policy({ booking }: { booking: Booking }) {
  const { package: booked, cancellationPolicy } = booking;
  const [first] = booking.sessions;
  const isFirstLate = booked && first && openSteps(first, serverNow()).length === 0;
  const hours = noticeHours(cancellationPolicy);
  const grace = graceLine(cancellationPolicy);
  return (
    <p className="text-ink-2">
      {booked
        ? `You can cancel each ${isFirstLate ? 'later ' : ''}session until ${hours} hours before it starts.`
        : `You can cancel until ${hours} hours before it starts.`}{' '}
      {grace ? `${grace}. ` : ''}
      <AppLink
        to={`/cancellation-policy?b=${booking.bookingId}`}
        className="text-brand underline underline-offset-4"
      >
        How that works
      </AppLink>
    </p>
  );
}

type BookedPanelProps = {
  booking: Booking;
  zone: Zone;
  /** The session, or each one of a package, starts inside the cancellation limit. */
  late: boolean;
  /** The client's consent. */
  consent: ReactNode;
};

/** "Booking Confirmed!" of /book: what was booked, what comes next, and the ways on. */
export function BookedPanel({ booking, zone, late, consent }: BookedPanelProps) {
  const end = booking.sessions.at(-1)?.endsAt;
  const isOver = end === undefined || toDate(end).getTime() < serverNow();
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <div className="flex flex-col gap-6">
        <BookingSummary title="Session Details" rows={rowsOf(booking, zone)}>
          <CalendarButtons booking={booking} />
          {isOnWord(booking) ? null : (
            <AppLink
              to={`/receipt?b=${booking.bookingId}`}
              className="inline-flex min-h-11 items-center self-start font-semibold text-brand hover:underline"
            >
              Receipt
            </AppLink>
          )}
        </BookingSummary>
        {consent}
      </div>
      <div className="flex flex-col gap-6">
        {isOver ? null : (
          <>
            <WhatsNext booking={booking} />
            <Notes booking={booking} />
            {late ? null : <Policy booking={booking} />}
          </>
        )}
        <div className="flex flex-wrap items-center gap-3">
          {isOver || !isOnline(booking) ? null : <MeetingLink booking={booking} />}
          <Button to="/" variant="secondary" size="lg">
            Return to Home
          </Button>
          <Button to="/account/sessions" variant="quiet" size="lg">
            Your sessions
          </Button>
        </div>
      </div>
    </div>
  );
}
