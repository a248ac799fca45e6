/** /account/sessions/<booking>: everything about one booking, and cancelling it. */
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { Alert } from '@/components/ui/alert';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { CODE } from '@/lib/codes';
import { describeError } from '@/lib/errors';
import { usePractice, usePracticeZone } from '@/lib/practice';
import { useServerNow } from '@/lib/use-server-now';
import { isEnded } from '../../shared/booking-state';
import { endedWords } from '../../shared/components/ended-panel';
import { isFree } from '../../shared/free-session';
import { useBooking } from '../../shared/hooks/use-booking';
import { type Outcomes, useOutcome } from '../hooks/use-outcome';
import { useOwnNews } from '../hooks/use-own-bookings';
import { cancellableNumbers, OWN_SESSIONS, readAgainIn, titleOf } from '../own-booking';
import { scheduleWords } from '../refund-words';
import { BookingFacts, HeldNotice, LINK, MoneyNotes, When } from './booking-facts';
import { CancelDialog } from './cancel-dialog';
import { CancellationNotice } from './cancellation-notice';
import { OwnFrame, OwnSkeleton } from './own-frame';
import { RepeatPart } from './repeat-part';

type CancelPartProps = {
  booking: Booking;
  now: number;
  outcomes: Outcomes;
  onStale: () => void;
};

type ChoiceProps = {
  booking: Booking;
  number: number;
  now: number;
  onPress: () => void;
};

/** One session that can be cancelled: what comes back now, until when, and what after. */
function Choice({ booking, number, now, onPress }: ChoiceProps) {
  const zone = usePracticeZone();
  const session = booking.sessions[number - 1];
  if (!session) return null;
  const several = booking.package !== undefined;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3">
      <p className="numeric">
        {several ? <span className="font-semibold">Session {number}: </span> : null}
        {isFree(booking) ? 'Cancelling costs you nothing' : scheduleWords(session, zone, now)}
      </p>
      <Button variant="secondary" size="sm" onClick={onPress}>
        {several ? `Cancel session ${number}` : 'Cancel this session'}
      </Button>
    </li>
  );
}

function CancelPart({ booking, now, outcomes, onStale }: CancelPartProps) {
  const [chosen, setChosen] = useState<number>();
  const numbers = cancellableNumbers(booking, now);
  const close = useCallback(() => setChosen(undefined), []);
  const isPending = booking.pendingCancellation !== undefined;

  // It was begun after all, by an answer that was lost or on another page.
  useEffect(() => {
    if (isPending) close();
  }, [isPending, close]);

  if (numbers.length === 0 && chosen === undefined) return null;
  const ofBooking = booking.package === undefined;
  return (
    <Card className="flex flex-col gap-3">
      <h2 className="text-h3">Can't make it?</h2>
      <p>That happens. Cancel here, and the time is free for someone else.</p>
      <ul className="flex flex-col divide-y divide-hairline">
        {numbers.map((number) => (
          <Choice
            key={number}
            booking={booking}
            number={number}
            now={now}
            onPress={() => setChosen(ofBooking ? 0 : number)}
          />
        ))}
      </ul>
      {numbers.length > 1 ? (
        <Button variant="secondary" className="self-start" onClick={() => setChosen(0)}>
          Cancel all sessions to come
        </Button>
      ) : null}
      <AppLink to={`/cancellation-policy?b=${booking.bookingId}`} className={LINK}>
        How cancelling works
      </AppLink>
      {chosen === undefined ? null : (
        <CancelDialog
          booking={booking}
          sessionNumber={chosen}
          onClose={close}
          onStale={onStale}
          onDone={(after, { refund }) => {
            close();
            outcomes.onBegun(after, refund);
          }}
        />
      )}
    </Card>
  );
}

/** What to say of one that ended. */
function Ended({ booking }: { booking: Booking }) {
  const { refundDaysText } = usePractice();
  if (!isEnded(booking)) return null;
  const { tone, lead, text } = endedWords(booking, refundDaysText);
  return (
    <Alert tone={tone} title={lead}>
      {text}
    </Alert>
  );
}

function Shown({ booking, userId }: { booking: Booking; userId: string }) {
  const now = useServerNow();
  const news = useOwnNews(userId);
  const outcomes = useOutcome(booking, news);
  // What was said of the end as it came, with its sum, says more than the booking does.
  const isSaid = outcomes.outcome?.name === 'done';
  return (
    <>
      <CancellationNotice booking={booking} outcomes={outcomes} />
      <HeldNotice booking={booking} />
      {isEnded(booking) && !isSaid ? <Ended booking={booking} /> : <MoneyNotes booking={booking} />}
      <Card className="flex flex-col gap-4">
        <h2 className="text-h3">{titleOf(booking)}</h2>
        <When booking={booking} now={now} />
        <BookingFacts booking={booking} now={now} />
      </Card>
      <CancelPart
        booking={booking}
        now={now}
        outcomes={outcomes}
        onStale={() => news.refresh(booking.bookingId)}
      />
      <RepeatPart booking={booking} now={now} />
    </>
  );
}

function NotFound({ children }: { children: ReactNode }) {
  return (
    <Card className="flex flex-col items-start gap-4">
      <h2 className="text-h3">There is no such session</h2>
      <p>
        It may belong to another account. Did you book with another e-mail address? Then sign out
        above, and sign in with that one.
      </p>
      {children}
    </Card>
  );
}

type Missing = ((refetch: () => void) => ReactNode) | undefined;
type AskedProps = { bookingId: string; userId: string; missing: Missing };

function readAgain(booking: Booking): number {
  return readAgainIn([booking]);
}

function Asked({ bookingId, userId, missing }: AskedProps) {
  const reading = useBooking(bookingId, userId, readAgain);
  const { booking, error, isMissing, refetch } = reading;
  const code = error ? describeError(error).code : undefined;
  // What was read belongs to a session that has ended.
  const isOver = code === CODE.Unauthenticated;
  return (
    <>
      {isMissing ? <NotFound>{missing?.(refetch)}</NotFound> : null}
      {error && !isMissing ? <ErrorNotice error={error} onRetry={refetch} /> : null}
      {!booking && !error ? <OwnSkeleton /> : null}
      {booking && !isMissing && !isOver ? <Shown booking={booking} userId={userId} /> : null}
      <AppLink to={OWN_SESSIONS} className={LINK}>
        All your sessions
      </AppLink>
    </>
  );
}

type OwnSessionPageProps = {
  bookingId: string;
  /** What stands below a booking that was not found; it is given how to read it again. */
  missing?: Missing;
};

export function OwnSessionPage({ bookingId, missing }: OwnSessionPageProps) {
  return (
    <OwnFrame title="Your Session">
      {(userId) => <Asked key={`${userId} ${bookingId}`} {...{ bookingId, userId, missing }} />}
    </OwnFrame>
  );
}
