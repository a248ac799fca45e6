/** /desk/bookings/<id>: what, who, money, messages and history of one booking, with its acts. */
import type { ReactNode } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { PageHeading } from '@/components/ui/page-heading';
import { Skeleton } from '@/components/ui/skeleton';
import { SessionMode } from '@/gen/booking/v1/booking_service_pb';
import type { StaffBooking } from '@/gen/booking/v1/booking_staff_service_pb';
import { mailto } from '@/lib/mailto';
import { formatPrice } from '@/lib/money';
import { formatPhone } from '@/lib/phone';
import { usePracticeZone } from '@/lib/practice';
import { bookingReference } from '@/lib/reference';
import { formatDate, formatTimeRange, toDate } from '@/lib/time';
import { usePageTitle } from '@/lib/use-page-title';
import { useServerNow } from '@/lib/use-server-now';
import { useOneBooking } from '../hooks/use-one-booking';
import { useMember } from '../member';
import { actsFor, isManager } from '../model/acts';
import { type SessionRow, sessionRows } from '../model/day';
import {
  clientName,
  markOf,
  markWord,
  paymentWord,
  sessionTitle,
  stateWord,
} from '../model/staff-booking';
import { BookingRecord } from './booking-record';
import { KeptAmount } from './kept-amount';
import { MoveProposal } from './move-proposal';
import { OpenRefunds } from './open-refunds';
import { RefundRequests } from './refund-requests';
import { useRowActs } from './row-acts';
import { StaleNotice } from './stale-notice';

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card className="flex flex-col gap-3 p-5">
      <h2 className="text-h3">{title}</h2>
      {children}
    </Card>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (!children) return null;
  return (
    <div className="flex flex-wrap justify-between gap-x-4">
      <dt className="text-ink-2">{name}</dt>
      <dd className="font-semibold numeric">{children}</dd>
    </div>
  );
}

type PartProps = { staff: StaffBooking };

type SessionsProps = PartProps & {
  rows: readonly SessionRow[];
  onOpen: (row: SessionRow) => void;
  onCheck: () => void;
};

/** Each session with its time; those that take place or are held can be pressed. */
function Sessions({ staff, rows, onOpen, onCheck }: SessionsProps) {
  const zone = usePracticeZone();
  const { booking } = staff;
  return (
    <ul className="flex flex-col gap-2">
      {booking?.sessions.map(({ startsAt, endsAt, cancelled }, index) => {
        if (!startsAt || !endsAt) return null;
        const number = index + 1;
        const row = rows.find((one) => one.number === number);
        const mark = markWord(markOf(staff, number));
        const times = `${formatDate(toDate(startsAt), zone)}, ${formatTimeRange(toDate(startsAt), toDate(endsAt), zone)}`;
        return (
          <li
            key={String(startsAt.seconds)}
            className="flex flex-wrap items-center justify-between gap-2"
          >
            <span className="numeric">
              {cancelled ? <s>{times}</s> : times}
              {cancelled ? ' (cancelled)' : ''} {mark ? <Badge tone="neutral">{mark}</Badge> : null}
            </span>
            {row ? (
              <Button
                size="sm"
                variant="secondary"
                aria-label={`What to do… with ${times}`}
                onClick={() => onOpen(row)}
              >
                What to do…
              </Button>
            ) : null}
            {row ? <MoveProposal row={row} onCheck={onCheck} /> : null}
          </li>
        );
      })}
    </ul>
  );
}

function Client({ staff: { booking } }: PartProps) {
  const { phone = '', email = '', notes = '' } = booking?.contact ?? {};
  return (
    <Section title="Client">
      <p className="font-semibold" dir="auto">
        {booking ? clientName(booking) : ''}
      </p>
      <p className="flex flex-wrap gap-x-4">
        {phone ? (
          <a
            className="inline-flex min-h-11 items-center text-brand underline"
            href={`tel:${phone}`}
          >
            {formatPhone(phone)}
          </a>
        ) : null}
        {email ? (
          <a
            className="inline-flex min-h-11 items-center text-brand underline"
            href={mailto(email)}
          >
            {email}
          </a>
        ) : null}
      </p>
      {notes ? (
        <p dir="auto" className="rounded-card bg-sunken p-3 whitespace-pre-line break-words">
          {notes}
        </p>
      ) : null}
    </Section>
  );
}

type MoneyProps = PartProps & { onRefund?: (() => void) | undefined; children?: ReactNode };

function Money({ staff, onRefund, children }: MoneyProps) {
  const { booking } = staff;
  const { price, paid, refundedOtherwise, refundOwed, givenByBank } = booking ?? {};
  return (
    <Section title="Money">
      <dl className="flex flex-col gap-1">
        <Fact name="Price">{formatPrice(price)}</Fact>
        <Fact name="Paid">{formatPrice(paid)}</Fact>
        <Fact name="Went back besides">{formatPrice(refundedOtherwise)}</Fact>
        <Fact name="Given back by the bank">{formatPrice(givenByBank)}</Fact>
        <Fact name="Owed to the client">{formatPrice(refundOwed)}</Fact>
        <Fact name="How it stands">{paymentWord(staff)}</Fact>
      </dl>
      {children}
      {onRefund ? (
        <Button size="sm" variant="secondary" className="self-start" onClick={onRefund}>
          Give money back…
        </Button>
      ) : null}
    </Section>
  );
}

function Shown({ staff, readAgain }: PartProps & { readAgain: () => void }) {
  const { role } = useMember();
  const now = useServerNow();
  const rows = sessionRows([staff]);
  const acts = useRowActs({ rows, now, onOwnAct: readAgain });
  const { booking } = staff;
  if (!booking) return null;
  const [first] = rows;
  const refundable = rows.find((row) => actsFor(role, row, now).includes('refund'));
  const place = booking.mode === SessionMode.IN_PERSON ? 'In person' : 'Online';
  return (
    <>
      <PageHeading
        className="gap-1! [&_h1]:text-h2"
        eyebrow={`Booking ${bookingReference(booking.bookingId)}`}
      >
        <span dir="auto">{clientName(booking)}</span>
      </PageHeading>
      {acts.notice}
      <Section title={sessionTitle(booking, first?.number ?? 1)}>
        <p className="text-ink-2">
          {[stateWord(booking), place, `with ${booking.practitionerName}`]
            .filter(Boolean)
            .join(' · ')}
        </p>
        <Sessions staff={staff} rows={rows} onOpen={acts.open} onCheck={readAgain} />
      </Section>
      <Client staff={staff} />
      <Money staff={staff} onRefund={refundable && (() => acts.openDialog(refundable, 'refund'))}>
        {isManager(role) ? (
          <>
            <KeptAmount booking={booking} />
            <OpenRefunds booking={booking} />
            <RefundRequests booking={booking} />
          </>
        ) : null}
      </Money>
      {isManager(role) ? (
        <BookingRecord bookingId={booking.bookingId} several={booking.sessions.length > 1} />
      ) : null}
      {acts.dialogs}
    </>
  );
}

export function BookingScreen({ params }: { params: { id?: string | undefined } }) {
  const bookingId = params.id ?? '';
  const { data, error, dataUpdatedAt, refetch } = useOneBooking(bookingId);
  usePageTitle(`Booking ${bookingReference(bookingId)}`);
  const again = () => void refetch();
  return (
    <div className="flex max-w-4xl flex-col gap-4">
      <StaleNotice error={error} readAt={dataUpdatedAt} what="The booking" onRetry={again} />
      {data ? <Shown staff={data} readAgain={again} /> : null}
      {data === null ? (
        <Card className="flex flex-col items-start gap-3">
          <PageHeading className="[&_h1]:text-h2">There is no such booking</PageHeading>
          <p>It is not there, or not yours to see.</p>
          <Button size="sm" to="/desk">
            To today
          </Button>
        </Card>
      ) : null}
      {data === undefined && !error ? (
        <>
          <Skeleton className="h-16 w-2/3" />
          <Skeleton className="h-32 w-full rounded-card" />
          <Skeleton className="h-32 w-full rounded-card" />
        </>
      ) : null}
    </div>
  );
}
