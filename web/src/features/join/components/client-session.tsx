import type { ReactNode } from 'react';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Spinner } from '@/components/ui/spinner';
import { BookingState, type Session, SessionMode } from '@/gen/booking/v1/booking_service_pb';
import { type ClientJoinPage, JoinKeyEnd } from '@/gen/booking/v1/join_page_service_pb';
import { usePractice, usePracticeZone } from '@/lib/practice';
import { formatDateTime, formatOwnTime, formatTime, toDate } from '@/lib/time';
import { CallUs } from './call-us';

type ShownProps = { page: ClientJoinPage };
type ClientSessionProps = ShownProps & {
  /** The time by the server's clock, in milliseconds. */
  now: number;
};

type NoticeProps = { title: string; action?: ReactNode; children: ReactNode };

function Notice({ title, action, children }: NoticeProps) {
  return (
    <Alert
      tone="warn"
      live
      title={title}
      action={
        <>
          {action}
          <CallUs />
        </>
      }
    >
      {children}
    </Alert>
  );
}

/** What a key that has ended for good leads to instead. */
function EndedKey({ page }: ShownProps) {
  if (page.ended === JoinKeyEnd.ADOPTED) {
    return (
      <Notice
        title="This booking is in your account now"
        action={
          <Button to={`/join/${page.bookingId}`} size="sm">
            Sign In to Join
          </Button>
        }
      >
        Links of earlier mails have ended. Sign in with your account, and you find the session.
      </Notice>
    );
  }
  return (
    <Notice title="This link has ended">
      The session is over. If you have a question about it, please call us.
    </Notice>
  );
}

/** Why no session takes place, or nothing where one is to come. */
function NoSession({ page }: ShownProps) {
  switch (page.state) {
    case BookingState.CANCELLED:
      return (
        <Notice
          title="This session is cancelled"
          action={
            <Button to="/services" size="sm">
              Choose Another Time
            </Button>
          }
        >
          It does not take place. What goes back to you is in our mail about it.
        </Notice>
      );
    case BookingState.RESCHEDULED:
      return (
        <Notice title="This session was moved">
          It does not take place at this time. The link in our newest mail leads to it.
        </Notice>
      );
    case BookingState.HELD:
    case BookingState.AWAITING_PAYMENT:
      return (
        <Notice title="This session is not confirmed yet">
          It waits for its payment. Once that is here, this page shows when and how to join.
        </Notice>
      );
    case BookingState.EXPIRED:
    case BookingState.PAID_UNPLACED:
      return (
        <Notice title="This session was not confirmed">
          Its time was not paid for in time, so it does not take place.
        </Notice>
      );
    default:
      return (
        <Notice title="This session is over">Thank you for coming. We hope it did you good.</Notice>
      );
  }
}

/** When a session is, by the practice's clock, and by the reader's where that reads otherwise. */
function When({ session }: { session: Session }) {
  const zone = usePracticeZone();
  if (!session.startsAt || !session.endsAt) return null;
  const startsAt = toDate(session.startsAt);
  const own = formatOwnTime(startsAt, zone);
  return (
    <div className="flex flex-col gap-1">
      <p className="text-lg font-semibold">
        {formatDateTime(startsAt, zone)} to {formatTime(toDate(session.endsAt), zone)}
      </p>
      {own ? <p className="text-ink-2">{own}</p> : null}
    </div>
  );
}

/** For how long after its time a room that is not there is only said to be opening. */
const OPENING_MS = 20_000;

function OpenRoom({ page, openFor }: ShownProps & { openFor: number }) {
  if (!page.roomUrl && openFor < OPENING_MS) {
    return (
      <p role="status" className="flex items-center gap-3">
        <Spinner />
        Opening the room…
      </p>
    );
  }
  if (!page.roomUrl) {
    return (
      <Alert tone="warn" live title="The room is not ready yet" action={<CallUs />}>
        We are on it. It appears here by itself, so please keep this page open. If it isn't here
        when your session starts, call us, and we begin by phone.
      </Alert>
    );
  }
  return (
    <div role="status" className="flex flex-col items-start gap-3">
      <Button href={page.roomUrl} target="_blank" rel="noopener noreferrer" size="lg">
        Open the Meeting Room<span className="sr-only"> (opens in a new tab)</span>
      </Button>
      <p className="text-ink-2">
        If your browser asks, let it use your camera and your microphone.
      </p>
    </div>
  );
}

function Room({ page, now }: ClientSessionProps) {
  const zone = usePracticeZone();
  if (page.mode === SessionMode.IN_PERSON) {
    return (
      <p>
        We meet at <strong>{page.location}</strong>.
      </p>
    );
  }
  if (!page.roomOpensAt) return null;
  const openFor = now - toDate(page.roomOpensAt).getTime();
  if (openFor >= 0 || page.roomUrl) return <OpenRoom page={page} openFor={openFor} />;
  return (
    <p role="status">
      The room opens here 10 minutes before, at{' '}
      <strong className="numeric">{formatTime(toDate(page.roomOpensAt), zone)}</strong>. It appears
      by itself.
    </p>
  );
}

function Trouble() {
  const { contactHours } = usePractice();
  return (
    <Card className="flex flex-col items-start gap-3">
      <h2 className="text-h3">If It Doesn't Work</h2>
      <p>
        Close the meeting's tab and open the room again from here. If you still can't get in, call
        us, and we begin by phone: your session is not lost.
      </p>
      <CallUs />
      {contactHours ? <p className="text-sm text-ink-2">{contactHours}</p> : null}
    </Card>
  );
}

function OtherSessions({ page, session }: ShownProps & { session: Session }) {
  const zone = usePracticeZone();
  const others = page.sessions.filter((one) => one !== session);
  if (others.length === 0) return null;
  return (
    <div className="flex flex-col gap-2 text-ink-2">
      <h3 className="font-semibold">The Other Sessions of Your Package</h3>
      <ul className="flex list-disc flex-col gap-1 pl-5">
        {others.map(({ startsAt, cancelled }) => {
          const at = startsAt ? formatDateTime(toDate(startsAt), zone) : '';
          return (
            <li key={at}>
              {cancelled ? <s>{at}</s> : at}
              {cancelled ? ' (cancelled)' : ''}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** A session as its client sees it: when, how, and the room while it is shown. */
export function ClientSession({ page, now }: ClientSessionProps) {
  if (page.ended !== JoinKeyEnd.UNSPECIFIED) return <EndedKey page={page} />;
  const session = page.sessions[page.sessionNumber - 1];
  if (!session) return <NoSession page={page} />;
  const { practitionerName, sessions } = page;
  return (
    <>
      <Card className="flex flex-col items-start gap-5">
        {sessions.length > 1 ? (
          <p className="text-sm font-semibold text-clay">
            Session {page.sessionNumber} of {sessions.length}
          </p>
        ) : null}
        <When session={session} />
        {practitionerName ? <p className="text-ink-2">With {practitionerName}</p> : null}
        <Room page={page} now={now} />
        <OtherSessions page={page} session={session} />
      </Card>
      {page.mode === SessionMode.IN_PERSON ? null : <Trouble />}
    </>
  );
}
