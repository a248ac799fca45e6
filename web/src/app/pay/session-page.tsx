/** What follows a booking on its page: when, how and where, and moving or cancelling it by the mail's key. */
import { useState } from 'react';
import { AppLink } from '@/components/ui/app-link';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import { accountPath } from '@/features/account/return-path';
import type { ForActs } from '@/features/booking/own-sessions/components/act-dialogs';
import {
  BookingFacts,
  LINK,
  MoneyNotes,
  When,
} from '@/features/booking/own-sessions/components/booking-facts';
import { CancellationNotice } from '@/features/booking/own-sessions/components/cancellation-notice';
import { ChangePart } from '@/features/booking/own-sessions/components/change-part';
import { LatePart } from '@/features/booking/own-sessions/components/late-part';
import { type Moved, MovedNotice } from '@/features/booking/own-sessions/components/moved-notice';
import { ProposalPart } from '@/features/booking/own-sessions/components/proposal-part';
import { RepeatPart } from '@/features/booking/own-sessions/components/repeat-part';
import { useOutcome } from '@/features/booking/own-sessions/hooks/use-outcome';
import { startOf } from '@/features/booking/own-sessions/move';
import { OWN_SESSIONS, titleOf } from '@/features/booking/own-sessions/own-booking';
import { SessionPortContext } from '@/features/booking/own-sessions/session-port';
import { isPlaced } from '@/features/booking/shared/booking-state';
import { isFree } from '@/features/booking/shared/free-session';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { PaymentPage } from '@/gen/booking/v1/payment_page_service_pb';
import { useAuth } from '@/lib/auth';
import { usePracticeZone } from '@/lib/practice';
import { useServerNow } from '@/lib/use-server-now';
import { PageMoney, pageMoneyRows, usePageReceiptRows } from './page-money';
import { PayAccount } from './pay-account';
import { usePagePort } from './use-page-port';

/** The account has it, too: with all others. */
function ToAccount() {
  const { user } = useAuth();
  return (
    <AppLink to={user ? OWN_SESSIONS : accountPath('/sign-in', OWN_SESSIONS)} className={LINK}>
      {user ? 'All your sessions' : 'Sign in to see all your sessions'}
    </AppLink>
  );
}

type PlacedProps = SessionPageProps & { acts: ForActs };

function Placed({ pageKey, page, preset, refetch, acts }: PlacedProps) {
  const zone = usePracticeZone();
  const { booking, now, news } = acts;
  const receipts = usePageReceiptRows(pageKey, zone);
  const money = isFree(booking) ? undefined : [...pageMoneyRows(page, zone), ...receipts];
  return (
    <>
      <ProposalPart {...acts} preset={preset} />
      <MoneyNotes booking={booking} />
      <Card className="flex flex-col gap-4">
        <h2 className="text-h3">{titleOf(booking)}</h2>
        <When booking={booking} now={now} />
        <LatePart booking={booking} now={now} onTold={news.learn} />
        <BookingFacts booking={booking} now={now} {...(money && { money })} />
      </Card>
      <ChangePart {...acts} />
      <RepeatPart booking={booking} now={now} />
      {page.ofAccount ? <ToAccount /> : <PayAccount page={page} refetch={refetch} />}
    </>
  );
}

type SessionPageProps = {
  pageKey: string;
  page: PaymentPage;
  /** The page as a booking. */
  booking: Booking;
  /** The time that the mail's link has chosen. */
  preset: Date | undefined;
  /** Why the page could not be read again. */
  error: unknown;
  refetch: () => void;
};

/** The page after the booking: also while its money goes back, and when only its money is left. */
export function SessionPage(props: SessionPageProps) {
  const { pageKey, page, booking, error, refetch } = props;
  const zone = usePracticeZone();
  const now = useServerNow();
  const port = usePagePort(pageKey, page.joinKey);
  // An act has put what it was answered with in its place already.
  const news = { learn: () => {}, refresh: refetch };
  const outcomes = useOutcome(booking, news);
  const [moved, setMoved] = useState<Moved>();
  const onMoved = (after: Booking, number: number) => {
    const at = startOf(after, number);
    setMoved(at && { number, at });
    outcomes.forget();
  };
  const isSaid = outcomes.outcome?.name === 'done';
  const acts = { booking, now, outcomes, news, onMoved };
  return (
    <SessionPortContext value={port}>
      {error ? <ErrorNotice error={error} onRetry={refetch} /> : null}
      {moved && !outcomes.outcome ? <MovedNotice booking={booking} moved={moved} /> : null}
      <CancellationNotice booking={booking} outcomes={outcomes} />
      {isPlaced(booking) && !page.moneyOnly ? (
        <Placed {...props} acts={acts} />
      ) : (
        <PageMoney {...{ pageKey, page, zone, isSaid }} />
      )}
    </SessionPortContext>
  );
}
