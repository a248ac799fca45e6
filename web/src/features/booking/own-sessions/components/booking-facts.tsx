import { Alert } from '@/components/ui/alert';
import { AppLink } from '@/components/ui/app-link';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { type Booking, BookingState } from '@/gen/booking/v1/booking_service_pb';
import { usePractice, usePracticeZone } from '@/lib/practice';
import { bookingReference } from '@/lib/reference';
import {
  formatDate,
  formatOwnPlace,
  formatShortDate,
  formatTime,
  formatTimeRange,
  toDate,
  type Zone,
} from '@/lib/time';
import { isLive, isOnline } from '../../shared/booking-state';
import { practitionerRows } from '../../shared/components/booking-rows';
import { SummaryList, type SummaryRow } from '../../shared/components/booking-summary';
import { CalendarButtons } from '../../shared/components/calendar-buttons';
import { moneyNotes } from '../../shared/money-notes';
import { isPaid, isToCome, moneyRows, nextNumber, payPath, sessionWord } from '../own-booking';
import { useSessionPort } from '../session-port';

export const LINK =
  'inline-flex min-h-11 items-center self-start font-semibold text-brand hover:underline';

type ForBooking = { booking: Booking; now: number };

function whereRows(booking: Booking, address: string): SummaryRow[] {
  if (isOnline(booking)) return [{ label: 'How', value: 'Online' }];
  return [
    { label: 'How', value: 'In person' },
    { label: 'Where', value: booking.location || address },
  ];
}

function rowsOf(booking: Booking, address: string, money: readonly SummaryRow[]): SummaryRow[] {
  return [
    ...practitionerRows(booking),
    ...whereRows(booking, address),
    ...money,
    { label: 'Reference', value: bookingReference(booking.bookingId) },
  ];
}

/** When its next session is, or its last one was; online in the reader's zone as well. */
export function When({ booking, now }: ForBooking) {
  const zone = usePracticeZone();
  const { sessions } = booking;
  const next = nextNumber(booking, now);
  const session = next ? sessions[next - 1] : sessions.at(-1);
  if (!session?.startsAt || !session.endsAt) return null;
  const [from, to] = [toDate(session.startsAt), toDate(session.endsAt)];
  const own = isOnline(booking) ? formatOwnPlace(from, zone) : undefined;
  return (
    <p className="text-lg font-semibold numeric">
      {booking.package && next ? `Session ${next} of ${sessions.length}: ` : ''}
      {formatDate(from, zone)}, {formatTimeRange(from, to, zone)}
      {own ? <span className="font-normal text-ink-2"> (your time: {own})</span> : null}
    </p>
  );
}

/** When one session of a package is. */
function whenWords(booking: Booking, number: number, zone: Zone): string {
  const session = booking.sessions[number - 1];
  if (!session?.startsAt || !session.endsAt) return '';
  const [from, to] = [toDate(session.startsAt), toDate(session.endsAt)];
  const own = isOnline(booking) ? formatOwnPlace(from, zone) : undefined;
  const when = `${formatShortDate(from, zone)}, ${formatTimeRange(from, to, zone)}`;
  return own ? `${when} (your time: ${own})` : when;
}

function PackageSessions({ booking, now }: ForBooking) {
  const zone = usePracticeZone();
  if (!booking.package) return null;
  return (
    <ol aria-label="Sessions of the package" className="flex flex-col divide-y divide-hairline">
      {booking.sessions.map((session, index) => {
        const word = sessionWord(booking, index + 1, now);
        const when = whenWords(booking, index + 1, zone);
        return (
          <li
            key={String(session.startsAt?.seconds)}
            className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 py-2.5"
          >
            <span className="text-ink-2">Session {index + 1}</span>
            <span className="flex flex-wrap items-center gap-2 font-semibold numeric">
              {session.cancelled ? <s>{when}</s> : when}
              {word ? <Badge tone={word === 'Next' ? 'leaf' : 'neutral'}>{word}</Badge> : null}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

/** A time that is held and not paid for yet leads on to paying. */
export function HeldNotice({ booking }: { booking: Booking }) {
  const zone = usePracticeZone();
  if (!isLive(booking)) return null;
  const { heldUntilAt } = booking;
  const several = booking.package !== undefined;
  const until = heldUntilAt ? ` until ${formatTime(toDate(heldUntilAt), zone)}` : '';
  return (
    <Alert
      tone="warn"
      title={`Your ${several ? 'times are' : 'time is'} kept${until}`}
      action={
        <Button to={payPath(booking)} size="sm">
          Go on to payment
        </Button>
      }
    >
      You have not paid for {several ? 'them' : 'it'} yet.
    </Alert>
  );
}

/** What the practice owes, what the bank has given, and what is given back at the desk. */
export function MoneyNotes({ booking }: { booking: Booking }) {
  return moneyNotes(booking).map(({ title, tone, text }) => (
    <Alert key={title} tone={tone} title={title}>
      {text}
    </Alert>
  ));
}

export function ReceiptLink({ booking }: { booking: Booking }) {
  if (!isPaid(booking)) return null;
  return (
    <AppLink to={`/receipt?b=${booking.bookingId}`} className={LINK}>
      Receipt<span className="sr-only"> for {booking.serviceTitle}</span>
    </AppLink>
  );
}

/** A session that took place can be told about; one that was missed is not asked about. */
export function ReviewLink({ booking }: { booking: Booking }) {
  if (booking.state !== BookingState.COMPLETED) return null;
  return (
    <AppLink to="/reviews#write" className={LINK}>
      Write a review<span className="sr-only"> of {booking.serviceTitle}</span>
    </AppLink>
  );
}

function Join({ booking }: { booking: Booking }) {
  const path = useSessionPort().joinPath(booking);
  if (!isOnline(booking) || !path) return null;
  return (
    <div className="flex flex-col items-start gap-1">
      <Button to={path}>Join</Button>
      <p className="text-sm text-ink-2">The room opens 10 minutes before the session.</p>
    </div>
  );
}

type BookingFactsProps = ForBooking & {
  /** Where more is known of its money than the booking says. */
  money?: readonly SummaryRow[];
};

/** Everything about one booking, and the ways on from it. */
export function BookingFacts({ booking, now, money }: BookingFactsProps) {
  const { address } = usePractice();
  const { ofAccount, calendarFile } = useSessionPort();
  const toCome = isToCome(booking, now);
  return (
    <>
      <SummaryList rows={rowsOf(booking, address, money ?? moneyRows(booking))} />
      <PackageSessions booking={booking} now={now} />
      {toCome ? <Join booking={booking} /> : null}
      {toCome ? <CalendarButtons booking={booking} file={calendarFile} /> : null}
      {ofAccount ? <ReceiptLink booking={booking} /> : null}
      {ofAccount ? <ReviewLink booking={booking} /> : null}
    </>
  );
}
