/** A client's bookings in their lists: the next one with all that it needs, others in short. */
import { useId } from 'react';
import { AppLink } from '@/components/ui/app-link';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { toast } from '@/components/ui/toast-store';
import { type Booking, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { usePracticeZone } from '@/lib/practice';
import { isOnline, isPlaced } from '../../shared/booking-state';
import { useOutcome } from '../hooks/use-outcome';
import { useOwnNews } from '../hooks/use-own-bookings';
import { isMovable, startOf } from '../move';
import { againPath, ownBookingPath, standingOf, titleOf } from '../own-booking';
import { shortTime } from '../refund-words';
import {
  BookingFacts,
  HeldNotice,
  LINK,
  MoneyNotes,
  ReceiptLink,
  ReviewLink,
  When,
} from './booking-facts';
import { CancellationNotice } from './cancellation-notice';
import { LatePart } from './late-part';
import { ProposalPart } from './proposal-part';

type CardProps = { booking: Booking; userId: string; now: number };

/** The title of a booking, which leads to its page. */
function Title({ booking, id }: { booking: Booking; id: string }) {
  return (
    <h3 id={id} className="text-h3">
      <AppLink
        to={ownBookingPath(booking)}
        className="inline-flex min-h-11 items-center text-brand hover:underline"
      >
        {titleOf(booking)}
      </AppLink>
    </h3>
  );
}

function Standing({ booking, now }: { booking: Booking; now: number }) {
  const { word, tone } = standingOf(booking, now);
  return <Badge tone={tone}>{word}</Badge>;
}

/** What its page is for: its acts are there. */
function detailsWords(booking: Booking, now: number): string {
  if (!isPlaced(booking)) return 'Details';
  const movable = booking.sessions.some((session) => isMovable(booking, session, now));
  return movable ? 'Move, cancel or see details' : 'Details, or cancel';
}

/** What comes next. */
export function NextCard({ booking, userId, now }: CardProps) {
  const titleId = useId();
  const zone = usePracticeZone();
  const news = useOwnNews(userId);
  const outcomes = useOutcome(booking, news);
  // The card may go to another place of the page, so that a notice in it would be gone.
  function onMoved(after: Booking, number: number) {
    const at = startOf(after, number);
    if (at) toast({ title: `Moved to ${shortTime(at, zone)}` });
    news.learn(after);
  }
  return (
    <article aria-labelledby={titleId}>
      <Card className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <Title booking={booking} id={titleId} />
          <Standing booking={booking} now={now} />
        </div>
        <When booking={booking} now={now} />
        <LatePart booking={booking} now={now} onTold={news.learn} />
        <CancellationNotice booking={booking} outcomes={outcomes} />
        <ProposalPart {...{ booking, now, outcomes, news, onMoved }} />
        <HeldNotice booking={booking} />
        <MoneyNotes booking={booking} />
        <BookingFacts booking={booking} now={now} />
        <AppLink to={ownBookingPath(booking)} className={LINK}>
          {detailsWords(booking, now)}
        </AppLink>
      </Card>
    </article>
  );
}

/** What is on its way back of one that is listed in short. */
function MoneyBack({ booking }: { booking: Booking }) {
  switch (booking.paymentState) {
    case PaymentState.REFUNDING:
      return <p>Your money is on its way back to you.</p>;
    case PaymentState.REFUNDED:
      return <p className="text-ink-2">Your money was sent back to you.</p>;
    default:
      return null;
  }
}

function Again({ booking }: { booking: Booking }) {
  const path = againPath(booking);
  if (!path) return null;
  return (
    <Button to={path} variant="secondary" size="sm">
      <span>
        Book again<span className="sr-only"> for {booking.serviceTitle}</span>
      </span>
    </Button>
  );
}

type ItemProps = CardProps & { part: 'coming' | 'past' };

/** Another one to come, or one that is over. */
export function BookingItem({ booking, userId, now, part }: ItemProps) {
  const titleId = useId();
  const outcomes = useOutcome(booking, useOwnNews(userId));
  const { practitionerName } = booking;
  const how = isOnline(booking) ? 'Online' : 'In person';
  return (
    <article aria-labelledby={titleId} className="flex flex-col gap-3 py-5">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <Title booking={booking} id={titleId} />
        <Standing booking={booking} now={now} />
      </div>
      <When booking={booking} now={now} />
      <p className="text-ink-2">{practitionerName ? `${how}, with ${practitionerName}` : how}</p>
      <CancellationNotice booking={booking} outcomes={outcomes} />
      <HeldNotice booking={booking} />
      <MoneyBack booking={booking} />
      <MoneyNotes booking={booking} />
      {part === 'past' ? (
        <div className="flex flex-wrap items-center gap-x-5 gap-y-1">
          <ReceiptLink booking={booking} />
          <ReviewLink booking={booking} />
          <Again booking={booking} />
        </div>
      ) : null}
    </article>
  );
}
