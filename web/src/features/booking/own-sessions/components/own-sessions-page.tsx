/** /account/sessions: what comes next, what else is to come, and what is over. */
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import { type Booking, OwnBookingsPart } from '@/gen/booking/v1/booking_service_pb';
import { CODE } from '@/lib/codes';
import { describeError } from '@/lib/errors';
import { useServerNow } from '@/lib/use-server-now';
import { isFocusLost } from '../focus-lost';
import { useEndedToast } from '../hooks/use-ended-toast';
import { type OwnBookings, useOwnBookings } from '../hooks/use-own-bookings';
import { askedFirst } from '../proposal';
import { OWN_WAITING } from '../wish';
import { BookingItem, NextCard } from './booking-cards';
import { LINK } from './booking-facts';
import { CalendarPart } from './calendar-part';
import { HeldOfferNotice } from './held-offer-notice';
import { MailPart } from './mail-part';
import { OwnFrame, OwnSkeleton } from './own-frame';

type PartProps = { title: string; children: ReactNode };

function Part({ title, children }: PartProps) {
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} className="flex flex-col gap-3">
      <h2 id={titleId} className="text-h2">
        {title}
      </h2>
      {children}
    </section>
  );
}

type ItemsProps = {
  list: OwnBookings;
  bookings: readonly Booking[];
  userId: string;
  part: 'coming' | 'past';
};

/** A list with a button for its next page; after that the focus goes to the first of the new ones. */
function Items({ list, bookings, userId, part }: ItemsProps) {
  const now = useServerNow();
  const items = useRef<HTMLUListElement>(null);
  const [firstNew, setFirstNew] = useState(0);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;

  useEffect(() => {
    const found = firstNew > 0 ? items.current?.children[firstNew] : undefined;
    found?.querySelector('a')?.focus();
  }, [firstNew]);

  async function more() {
    const before = bookings.length;
    const { isFetchNextPageError } = await fetchNextPage();
    if (!isFetchNextPageError) setFirstNew(before);
  }

  return (
    <>
      <ul ref={items} className="flex flex-col divide-y divide-hairline">
        {bookings.map((booking) => (
          <li key={booking.bookingId}>
            <BookingItem booking={booking} userId={userId} now={now} part={part} />
          </li>
        ))}
      </ul>
      {hasNextPage ? (
        <Button
          variant="secondary"
          className="self-start"
          busy={isFetchingNextPage}
          busyText="Loading…"
          onClick={() => void more()}
        >
          Show more
        </Button>
      ) : null}
    </>
  );
}

function NoneYet() {
  return (
    <Card className="flex flex-col items-start gap-4">
      <p>You have no sessions yet. Once you have booked one, you find it here.</p>
      <Button to="/services">See our services</Button>
    </Card>
  );
}

function NothingComing() {
  return (
    <Card className="flex flex-col items-start gap-4">
      <p>Nothing is coming up.</p>
      <Button to="/services">Book a session</Button>
    </Card>
  );
}

function WaitListLink() {
  return (
    <AppLink to={OWN_WAITING} className={LINK}>
      Your wait list
    </AppLink>
  );
}

type ComingProps = Omit<ItemsProps, 'part'> & { now: number };

/** What is to come: first what the practice asks about, which has to be answered. */
function Coming({ list, bookings, userId, now }: ComingProps) {
  const frame = useRef<HTMLDivElement>(null);
  const { asked, others } = askedFirst(bookings, now);
  const [next, ...later] = others;
  const before = useRef(asked.length);
  // A card that was answered goes to another place, and its button with the focus is gone.
  useEffect(() => {
    const isAnswered = asked.length < before.current;
    before.current = asked.length;
    if (isAnswered && isFocusLost()) frame.current?.focus();
  }, [asked.length]);
  return (
    <div ref={frame} tabIndex={-1} className="flex scroll-mt-24 flex-col gap-8">
      {asked.length > 0 ? (
        <Part title="Waiting for your choice">
          {asked.map((booking) => (
            <NextCard key={booking.bookingId} {...{ booking, userId, now }} />
          ))}
        </Part>
      ) : null}
      {bookings.length === 0 ? <NothingComing /> : null}
      {next ? (
        <Part title="Next">
          <NextCard key={next.bookingId} booking={next} userId={userId} now={now} />
        </Part>
      ) : null}
      {later.length > 0 || list.hasNextPage ? (
        <Part title="Later">
          <Items list={list} bookings={later} userId={userId} part="coming" />
        </Part>
      ) : null}
    </div>
  );
}

type ListsProps = { userId: string; missing: ((refetch: () => void) => ReactNode) | undefined };

function Lists({ userId, missing }: ListsProps) {
  const coming = useOwnBookings(OwnBookingsPart.COMING, userId);
  const past = useOwnBookings(OwnBookingsPart.PAST, userId);
  const now = useServerNow();
  const error = coming.error ?? past.error;
  useEndedToast({ coming: coming.bookings, past: past.bookings });

  function again() {
    void coming.refetch();
    void past.refetch();
  }

  const offer = coming.data?.pages[0]?.heldOffer;
  const heldOffer = offer ? <HeldOfferNotice offer={offer} now={now} /> : null;
  const failed = error ? <ErrorNotice error={error} onRetry={again} /> : null;
  // What was read belongs to a session that has ended.
  if (error && describeError(error).code === CODE.Unauthenticated) return failed;
  if (coming.bookings?.length === 0 && past.bookings?.length === 0) {
    return (
      <>
        {failed}
        {heldOffer}
        <NoneYet />
        {missing?.(again)}
        <MailPart userId={userId} />
        <WaitListLink />
      </>
    );
  }
  return (
    <>
      {failed}
      {heldOffer}
      {!coming.bookings && !error ? <OwnSkeleton /> : null}
      {coming.bookings ? (
        <Coming list={coming} bookings={coming.bookings} userId={userId} now={now} />
      ) : null}
      {past.bookings && past.bookings.length > 0 ? (
        <Part title="Past sessions">
          <Items list={past} bookings={past.bookings} userId={userId} part="past" />
        </Part>
      ) : null}
      {coming.bookings && past.bookings ? (
        <>
          <CalendarPart userId={userId} />
          <MailPart userId={userId} />
          <div className="flex flex-wrap gap-x-6">
            <AppLink to="/account/receipts" className={LINK}>
              All your receipts
            </AppLink>
            <WaitListLink />
          </div>
        </>
      ) : null}
    </>
  );
}

type OwnSessionsPageProps = {
  /** What stands below an empty list; it is given how to read it again. */
  missing?: (refetch: () => void) => ReactNode;
};

export function OwnSessionsPage({ missing }: OwnSessionsPageProps) {
  return (
    <OwnFrame title="Your Sessions" lead="What is coming up, and what you had with us.">
      {(userId) => <Lists key={userId} userId={userId} missing={missing} />}
    </OwnFrame>
  );
}
