/** /account/waiting: what a client waits for, a time that is held for them, and joining the list. */
import { useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import type { Waiting, WaitingOffer } from '@/gen/booking/v1/waiting_service_pb';
import { isSessionOver } from '@/lib/errors';
import { toDate } from '@/lib/time';
import { useServerNow } from '@/lib/use-server-now';
import { useOwnWaiting } from '../../shared/hooks/use-own-waiting';
import { isTimeGone } from '../../shared/refused-times';
import { openOffer } from '../../shared/waiting-offer';
import { useEndedOffers } from '../hooks/use-ended-offers';
import { useOwnNews } from '../hooks/use-own-bookings';
import { OWN_SESSIONS } from '../own-booking';
import { HOW_OFFERED, OWN_WAITING, wantedIn } from '../wish';
import { LINK } from './booking-facts';
import type { Proof } from './join-form';
import { JoinPart } from './join-part';
import { OfferCard } from './offer-card';
import { OwnFrame, OwnSkeleton } from './own-frame';
import { WaitingEntry } from './waiting-entry';
import { type Told, WaitingNotice } from './waiting-notice';

function NoneYet() {
  return (
    <Card className="flex flex-col items-start gap-4">
      <p>You wait for nothing. Where no time suits you, you can join the wait list.</p>
      <p className="text-ink-2">{HOW_OFFERED}</p>
      <Button to="/services">See our services</Button>
    </Card>
  );
}

function startOfOffer({ startsAt }: WaitingOffer): Date | undefined {
  return startsAt && toDate(startsAt);
}

/** The entries, what was told last, and what a press changes of them. */
function useWaitList(userId: string, now: number) {
  const waiting = useOwnWaiting(userId);
  const { list, change } = waiting;
  const news = useOwnNews(userId);
  const [told, setTold] = useState<Told>();
  const forgetOffer = useEndedOffers({
    list,
    now,
    onEnded: (offer, isOver) =>
      setTold({ name: isOver ? 'over' : 'ended', startsAt: startOfOffer(offer) }),
  });

  function without(gone: Waiting): void {
    forgetOffer(gone.waitingId);
    change((all) => all.filter(({ waitingId }) => waitingId !== gone.waitingId));
  }

  function withoutOffer({ waitingId }: Waiting): void {
    forgetOffer(waitingId);
    change((all) =>
      all.map((one) => {
        const { offer: _gone, ...rest } = one;
        return one.waitingId === waitingId ? rest : one;
      }),
    );
  }

  return {
    ...waiting,
    told,
    onJoined: (joined: Waiting) => {
      setTold({ name: 'joined', waiting: joined });
      change((all) => [...all.filter((one) => one.waitingId !== joined.waitingId), joined]);
    },
    onLeft: (left: Waiting) => {
      setTold({ name: 'left', waiting: left });
      without(left);
    },
    /** What an offer's card reports. */
    endsOf: (of: Waiting, offer: WaitingOffer) => ({
      onDeclined: () => {
        setTold({ name: 'declined', waiting: of });
        withoutOffer(of);
      },
      onMoved: (after: Parameters<typeof news.learn>[0]) => {
        setTold({ name: 'moved', after });
        news.learn(after);
        without(of);
      },
      onRefused: (reason: string) => {
        setTold({ name: 'refused', reason, startsAt: startOfOffer(offer) });
        if (isTimeGone(reason)) withoutOffer(of);
        else waiting.refetch();
      },
    }),
  };
}

type ListsProps = { userId: string; proof: Proof };

function Lists({ userId, proof }: ListsProps) {
  const now = useServerNow();
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const waits = useWaitList(userId, now);
  const { list, error, refetch, told } = waits;
  const wanted = wantedIn(query);
  const asks = wanted.serviceId !== '' || wanted.earlierThan !== '';

  function joined(waiting: Waiting) {
    waits.onJoined(waiting);
    void navigate(OWN_WAITING, { replace: true });
  }

  const failed = error ? <ErrorNotice error={error} onRetry={refetch} /> : null;
  // What was read belongs to a session that has ended.
  if (isSessionOver(error)) return failed;
  const offers = (list ?? []).flatMap((waiting) => {
    const offer = openOffer(waiting, now);
    return offer ? [{ waiting, offer }] : [];
  });
  return (
    <>
      <WaitingNotice told={told} />
      {failed}
      {offers.map(({ waiting, offer }) => (
        <OfferCard
          key={offer.offerId}
          {...{ waiting, offer, now }}
          {...waits.endsOf(waiting, offer)}
        />
      ))}
      {asks ? <JoinPart wanted={wanted} onJoined={joined} {...{ userId, proof }} /> : null}
      {!list && !error && !asks ? <OwnSkeleton /> : null}
      {list?.length === 0 && !asks ? <NoneYet /> : null}
      {list && list.length > 0 ? (
        <section aria-labelledby="waiting-title" className="flex flex-col gap-3">
          <h2 id="waiting-title" className="text-h2">
            You wait for
          </h2>
          {list.map((waiting) => (
            <WaitingEntry
              key={waiting.waitingId}
              waiting={waiting}
              onLeft={() => waits.onLeft(waiting)}
            />
          ))}
        </section>
      ) : null}
      <AppLink to={OWN_SESSIONS} className={LINK}>
        All your sessions
      </AppLink>
    </>
  );
}

export function OwnWaitingPage({ proof }: { proof: Proof }) {
  return (
    <OwnFrame
      title="Your Wait List"
      lead="Times that you wait for, and what is offered to you."
      toSignIn="Sign in to join the wait list, or to see a time that is held for you."
    >
      {(userId) => <Lists key={userId} userId={userId} proof={proof} />}
    </OwnFrame>
  );
}
