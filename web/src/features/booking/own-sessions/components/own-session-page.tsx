/** /account/sessions/<booking>: everything about one booking, and moving or cancelling its sessions. */
import { type ReactNode, useState } from 'react';
import { useLocation } from 'react-router';
import { LazySection } from '@/components/lazy-section';
import { Alert } from '@/components/ui/alert';
import { AppLink } from '@/components/ui/app-link';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { CODE } from '@/lib/codes';
import { describeError } from '@/lib/errors';
import { importWithRetry } from '@/lib/import-with-retry';
import { usePractice } from '@/lib/practice';
import { lazyLoader } from '@/lib/use-lazy-module';
import { useServerNow } from '@/lib/use-server-now';
import { isEnded } from '../../shared/booking-state';
import { endedWords } from '../../shared/components/ended-panel';
import { useBooking } from '../../shared/hooks/use-booking';
import { useOutcome } from '../hooks/use-outcome';
import { useOwnNews } from '../hooks/use-own-bookings';
import { startOf } from '../move';
import { isPaid, OWN_SESSIONS, readAgainIn, titleOf } from '../own-booking';
import { chosenIn } from '../proposal';
import type { ForActs } from './act-dialogs';
import { BookingFacts, HeldNotice, LINK, MoneyNotes, When } from './booking-facts';
import { CancellationNotice } from './cancellation-notice';
import { ChangePart } from './change-part';
import { ContactPart } from './contact-part';
import { LatePart } from './late-part';
import { type Moved, MovedNotice } from './moved-notice';
import { OwnFrame, OwnSkeleton } from './own-frame';
import { ProposalPart } from './proposal-part';
import { RepeatPart } from './repeat-part';

/** Only sessions that have begun need it. */
const refundPart = lazyLoader(
  async () => (await importWithRetry(() => import('./refund-part'))).RefundPart,
);

/** Whether there may be a request for a refund: it was paid for, and has begun. */
function isRefundable(booking: Booking, now: number): boolean {
  const start = startOf(booking, 1);
  return isPaid(booking) && start !== undefined && start.getTime() <= now;
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
  const { hash } = useLocation();
  const now = useServerNow();
  const news = useOwnNews(userId);
  const outcomes = useOutcome(booking, news);
  // What was said of the end as it came, with its sum, says more than the booking does.
  const isSaid = outcomes.outcome?.name === 'done';
  // Another act takes the place of its notice.
  const [moved, setMoved] = useState<Moved>();
  const acts: ForActs = {
    booking,
    now,
    outcomes,
    news,
    onMoved: (after, number) => {
      const at = startOf(after, number);
      setMoved(at && { number, at });
      outcomes.forget();
      news.learn(after);
    },
  };
  return (
    <>
      {moved && !outcomes.outcome ? <MovedNotice booking={booking} moved={moved} /> : null}
      <CancellationNotice booking={booking} outcomes={outcomes} />
      <ProposalPart {...acts} preset={chosenIn(hash)} />
      <HeldNotice booking={booking} />
      {isEnded(booking) && !isSaid ? <Ended booking={booking} /> : <MoneyNotes booking={booking} />}
      <Card className="flex flex-col gap-4">
        <h2 className="text-h3">{titleOf(booking)}</h2>
        <When booking={booking} now={now} />
        <LatePart booking={booking} now={now} onTold={news.learn} />
        <BookingFacts booking={booking} now={now} />
      </Card>
      <ChangePart {...acts} />
      <ContactPart booking={booking} now={now} onChanged={news.learn} />
      <RepeatPart booking={booking} now={now} />
      {isRefundable(booking, now) ? (
        <LazySection
          code={refundPart}
          resting={null}
          missing="Whether you can ask for a refund could not be loaded"
        >
          {(RefundPart) => <RefundPart {...{ booking, userId, now }} />}
        </LazySection>
      ) : null}
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
