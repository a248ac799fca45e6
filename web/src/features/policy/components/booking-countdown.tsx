import { Code } from '@connectrpc/connect';
import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import type { Session } from '@/gen/booking/v1/booking_service_pb';
import { useAuth } from '@/lib/auth';
import { graceLine, stepLines } from '@/lib/cancellation';
import { describeError } from '@/lib/errors';
import { usePracticeZone } from '@/lib/practice';
import { bookingWindow, nextLimit } from '../booking-window';
import { useOwnBooking } from '../hooks/use-own-booking';
import { useTimeLeft } from '../hooks/use-time-left';
import { Countdown } from './countdown';
import { CountdownSkeleton } from './countdown-skeleton';

type SayProps = { title: string; children: ReactNode; action?: ReactNode };

function Say({ title, children, action }: SayProps) {
  return (
    <div className="flex flex-col items-center gap-4 text-center">
      <h2 className="text-h3">{title}</h2>
      <p className="text-ink-2">{children}</p>
      {action}
    </div>
  );
}

function SignInFirst({ bookingId }: { bookingId: string }) {
  const back = encodeURIComponent(`/cancellation-policy?b=${bookingId}`);
  return (
    <Say
      title="Your own time to cancel"
      action={<Button to={`/sign-in?return=${back}`}>Sign In</Button>}
    >
      A booking is shown to its own account only. Sign in, and you come straight back to see how
      long you can cancel it.
    </Say>
  );
}

function Unknown({ bookingId }: { bookingId: string }) {
  return (
    <Say
      title="We could not find this booking"
      action={
        <div className="flex flex-wrap justify-center gap-3">
          <Button to={`/booking-flow?step=confirmed&b=${encodeURIComponent(bookingId)}`}>
            Did you book on the phone?
          </Button>
          <Button to="/contact" variant="secondary">
            Contact us
          </Button>
        </div>
      }
    >
      There is no such booking, or it belongs to another account. The policy on this page still
      holds.
    </Say>
  );
}

type LimitProps = {
  hours: number;
  limits: readonly [Date, ...Date[]];
  sessions: readonly Session[];
  service: string;
  /** How often a late cancellation loses nothing; empty for never. */
  grace: string;
};

/** What comes back of each session, step by step, as the server states it. */
function Schedule({ sessions }: Pick<LimitProps, 'sessions'>) {
  const zone = usePracticeZone();
  return (
    <ul className="flex flex-col gap-1 text-sm text-ink-2">
      {sessions.map((session) => (
        <li key={session.startsAt?.seconds.toString()}>{stepLines(session, zone).join(', ')}</li>
      ))}
    </ul>
  );
}

/** The clock of the next session that can still be cancelled; each of a package has its own limit. */
function Limit({ hours, limits, sessions, service, grace }: LimitProps) {
  const left = useTimeLeft(limits.at(-1) ?? limits[0]);
  const of = limits.length > 1 ? `${service}: the next of ${limits.length} sessions` : service;
  return (
    <div className="flex flex-col gap-5 text-center">
      <Countdown until={nextLimit(limits, left)} hours={hours} service={of} />
      <Schedule sessions={sessions} />
      {grace ? <p className="text-sm text-ink-2">{grace}.</p> : null}
    </div>
  );
}

type OwnProps = { bookingId: string; userId: string };

function Own({ bookingId, userId }: OwnProps) {
  const { data: booking, error, refetch } = useOwnBooking(bookingId, userId);
  if (booking) {
    const window = bookingWindow(booking);
    if (window.kind === 'counting') {
      const grace = graceLine(booking.cancellationPolicy);
      return <Limit {...window} service={booking.serviceTitle} grace={grace} />;
    }
    return <Say title={booking.serviceTitle}>{window.words}</Say>;
  }
  if (!error) return <CountdownSkeleton />;
  const { code } = describeError(error);
  if (code === Code.NotFound || code === Code.InvalidArgument)
    return <Unknown bookingId={bookingId} />;
  if (code === Code.Unauthenticated) return <SignInFirst bookingId={bookingId} />;
  return (
    <ErrorNotice
      error={error}
      title="Your booking could not be looked up"
      onRetry={() => void refetch()}
    />
  );
}

/** How long one's own booking can still be cancelled. */
export function BookingCountdown({ bookingId }: { bookingId: string }) {
  const auth = useAuth();
  if (auth.status === 'unknown') return <CountdownSkeleton />;
  if (!auth.user) return <SignInFirst bookingId={bookingId} />;
  return <Own bookingId={bookingId} userId={auth.user.id} />;
}
