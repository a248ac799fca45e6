import { useLocation } from 'react-router';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import { PageHeading } from '@/components/ui/page-heading';
import { Skeleton } from '@/components/ui/skeleton';
import { BookingState, SessionMode } from '@/gen/booking/v1/booking_service_pb';
import type { GetJoinPageResponse } from '@/gen/booking/v1/booking_staff_service_pb';
import { useAuth } from '@/lib/auth';
import { errorReason } from '@/lib/errors';
import { usePracticeZone } from '@/lib/practice';
import { bookingReference } from '@/lib/reference';
import { formatDateTime, formatTime, toDate } from '@/lib/time';
import { useServerNow } from '@/lib/use-server-now';
import { useSessionPage } from '../hooks/use-join-page';
import { ClientSession } from './client-session';

/** Reasons for which the account, and not the moment, is why nothing is shown. */
const NOT_FOR_THIS_ACCOUNT = new Set(['STAFF_ONLY', 'ROLE_NOT_ALLOWED', 'BOOKING_NOT_FOUND']);

type ShownProps = { page: GetJoinPageResponse };

function Room({ page }: ShownProps) {
  const zone = usePracticeZone();
  if (page.mode === SessionMode.IN_PERSON) return <p>In person: {page.location}</p>;
  if (!page.roomOpensAt) return null;
  if (page.joinUrl) {
    return (
      <Button href={page.joinUrl} target="_blank" rel="noopener noreferrer">
        Open the Meeting Room
      </Button>
    );
  }
  const opensAt = toDate(page.roomOpensAt);
  return (
    <p role="status">
      The room opens here ten minutes before the session, on {formatDateTime(opensAt, zone)}.
    </p>
  );
}

function Standing({ page }: ShownProps) {
  switch (page.state) {
    case BookingState.CANCELLED:
      return <Alert title="This booking is cancelled">No session takes place.</Alert>;
    case BookingState.HELD:
    case BookingState.AWAITING_PAYMENT:
      return <Alert title="This booking is not confirmed yet">It waits for its payment.</Alert>;
    case BookingState.EXPIRED:
      return <Alert title="This booking was not paid">Its time is free again.</Alert>;
    default:
      return null;
  }
}

function Sessions({ page }: ShownProps) {
  const zone = usePracticeZone();
  return (
    <ul className="flex flex-col gap-2">
      {page.sessions.map(({ startsAt, endsAt, cancelled }) => {
        if (!startsAt || !endsAt) return null;
        const time = `${formatDateTime(toDate(startsAt), zone)} to ${formatTime(toDate(endsAt), zone)}`;
        return (
          <li key={String(startsAt.seconds)} className="font-semibold">
            {cancelled ? <s>{time}</s> : time}
            {cancelled ? ' (cancelled)' : ''}
          </li>
        );
      })}
    </ul>
  );
}

function Shown({ page }: ShownProps) {
  return (
    <>
      <Standing page={page} />
      <Card className="flex flex-col items-start gap-5">
        <h2 className="text-h3">
          {page.serviceTitle} with <span dir="auto">{page.clientFirstName}</span>
        </h2>
        <Sessions page={page} />
        <p className="text-ink-2">
          Booking {bookingReference(page.bookingId)}, given by {page.practitionerName}.
        </p>
        <Room page={page} />
      </Card>
      {page.notes ? (
        <Card className="flex flex-col gap-3">
          <h2 className="text-h3">What They Wrote for You</h2>
          <p dir="auto" className="whitespace-pre-line break-words">
            {page.notes}
          </p>
        </Card>
      ) : null}
    </>
  );
}

/** How often the page looks whether the room's time has come. */
const LOOK_EVERY_MS = 1_000;

function Account({ bookingId, userId }: { bookingId: string; userId: string }) {
  const now = useServerNow(LOOK_EVERY_MS);
  const { data: page, error, refetch } = useSessionPage(bookingId, userId);
  if (error && NOT_FOR_THIS_ACCOUNT.has(errorReason(error))) {
    return (
      <Alert tone="error" live title="There is nothing here for this account">
        This page shows a session to the account that booked it, and to the members of the practice
        who hold it. Sign in with that account, or use the link in your own mail.
      </Alert>
    );
  }
  if (!page && !error) return <Skeleton className="h-72 w-full rounded-card" />;
  return (
    <>
      {page?.own ? <ClientSession page={page.own} now={now} /> : null}
      {page?.member ? <Shown page={page.member} /> : null}
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : null}
    </>
  );
}

/** /join/<booking>: a session for the account that booked it, and by role for members. */
export function JoinPage({ params }: { params: { bookingId?: string | undefined } }) {
  const { status, user } = useAuth();
  const { pathname } = useLocation();
  return (
    <div className="container-page flex flex-col gap-8 py-10 sm:py-14">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-8">
        <PageHeading>Your Session</PageHeading>
        {status === 'signed-out' ? (
          <Card className="flex flex-col items-start gap-4">
            <p>
              Sign in to see this session: with the account that booked it, or as a member of the
              practice.
            </p>
            <Button to={`/sign-in?return=${encodeURIComponent(pathname)}`}>Sign In</Button>
          </Card>
        ) : null}
        {status === 'unknown' ? <Skeleton className="h-72 w-full rounded-card" /> : null}
        {user ? <Account bookingId={params.bookingId ?? ''} userId={user.id} /> : null}
      </div>
    </div>
  );
}
