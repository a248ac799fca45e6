/** A time that is held for a client on the wait list: taking it, or giving it to the next person. */
import { useCallback, useId, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ErrorNotice } from '@/components/ui/error-notice';
import { type Booking, SessionMode } from '@/gen/booking/v1/booking_service_pb';
import type { Waiting, WaitingOffer } from '@/gen/booking/v1/waiting_service_pb';
import { describeError } from '@/lib/errors';
import { usePracticeZone } from '@/lib/practice';
import { formatDate, formatOwnPlace, formatTime, formatTimeRange, toDate } from '@/lib/time';
import { heldWords, takePath } from '../../shared/waiting-offer';
import { useDeclineOffer } from '../hooks/use-leave-waiting';
import { shortTime } from '../refund-words';
import { TakeEarlierDialog } from './take-earlier-dialog';

type OfferCardProps = {
  waiting: Waiting;
  offer: WaitingOffer;
  now: number;
  onDeclined: () => void;
  /** Of an earlier time: the booking was moved to it, or was not, for this reason. */
  onMoved: (after: Booking) => void;
  onRefused: (reason: string) => void;
};

function isOnline({ wish }: Waiting): boolean {
  return wish?.mode !== SessionMode.IN_PERSON;
}

type WhenProps = { from: Date; to: Date | undefined; online: boolean };

function OfferedTime({ from, to, online }: WhenProps) {
  const zone = usePracticeZone();
  const own = online ? formatOwnPlace(from, zone) : undefined;
  const clock = to ? formatTimeRange(from, to, zone) : formatTime(from, zone);
  return (
    <p className="text-lg font-semibold numeric">
      {formatDate(from, zone)}, {clock}
      {own ? <span className="font-normal text-ink-2"> (your time: {own})</span> : null}
    </p>
  );
}

function keptTitle(error: unknown): string {
  const isLost = describeError(error).lost;
  return isLost
    ? "We don't know yet whether it is given to the next person"
    : 'It is not given to the next person yet';
}

export function OfferCard(props: OfferCardProps) {
  const { waiting, offer, now, onDeclined, onMoved, onRefused } = props;
  const zone = usePracticeZone();
  const titleId = useId();
  const [taking, setTaking] = useState(false);
  const close = useCallback(() => setTaking(false), []);
  const decline = useDeclineOffer(waiting.waitingId, onDeclined);
  const { wish, serviceTitle, earlierThanAt } = waiting;
  const { startsAt, endsAt, heldUntilAt, practitionerName } = offer;
  if (!startsAt || !heldUntilAt) return null;
  const online = isOnline(waiting);
  const how = online ? 'Online' : 'In person';
  return (
    <article aria-labelledby={titleId}>
      <Card className="flex flex-col gap-4 border-brand">
        <h2 id={titleId} className="text-h3">
          A time is free for you: {serviceTitle}
        </h2>
        <OfferedTime from={toDate(startsAt)} to={endsAt && toDate(endsAt)} online={online} />
        <p className="text-ink-2">{practitionerName ? `${how}, with ${practitionerName}` : how}</p>
        {earlierThanAt ? (
          <p className="numeric">In place of {shortTime(toDate(earlierThanAt), zone)}.</p>
        ) : null}
        <p>
          Held for you alone until{' '}
          <strong className="numeric">{heldWords(toDate(heldUntilAt), zone, now)}</strong>.
        </p>
        {decline.error ? (
          <ErrorNotice error={decline.error} title={keptTitle(decline.error)} />
        ) : null}
        <div className="flex flex-wrap gap-3">
          {earlierThanAt ? (
            <Button onClick={() => setTaking(true)}>Take this time</Button>
          ) : (
            <Button to={takePath(wish?.serviceId ?? '', offer)}>Take this time</Button>
          )}
          <Button
            variant="secondary"
            busy={decline.isPending}
            onClick={() => decline.mutate(offer.offerId)}
          >
            No thanks, give it to the next person
          </Button>
        </div>
        {taking ? (
          <TakeEarlierDialog
            {...{ waiting, offer, online }}
            onClose={close}
            onMoved={(after) => {
              close();
              onMoved(after);
            }}
            onRefused={(reason) => {
              close();
              onRefused(reason);
            }}
          />
        ) : null}
      </Card>
    </article>
  );
}
