/** Notices that a time which was shown as held for a client is held no more. */
import { useEffect, useRef } from 'react';
import type { Waiting, WaitingOffer } from '@/gen/booking/v1/waiting_service_pb';
import { openOffer } from '../../shared/waiting-offer';

type Watched = {
  list: readonly Waiting[] | undefined;
  now: number;
  /** `isOver` where its entry is gone as well: it was taken elsewhere, or staff ended it. */
  onEnded: (offer: WaitingOffer, isOver: boolean) => void;
};

/** `forget` is for a time that was given away or taken here. */
export function useEndedOffers({ list, now, onEnded }: Watched): (waitingId: string) => void {
  /** What was shown, by its entry. */
  const shown = useRef(new Map<string, WaitingOffer>());
  const latest = useRef(onEnded);
  latest.current = onEnded;

  useEffect(() => {
    for (const waiting of list ?? []) {
      const { waitingId } = waiting;
      const offer = openOffer(waiting, now);
      const before = shown.current.get(waitingId);
      if (before && before.offerId !== offer?.offerId) latest.current(before, false);
      if (offer) shown.current.set(waitingId, offer);
      else shown.current.delete(waitingId);
    }
    for (const [waitingId, before] of shown.current) {
      if (!list || list.some((one) => one.waitingId === waitingId)) continue;
      shown.current.delete(waitingId);
      latest.current(before, true);
    }
  }, [list, now]);

  return (waitingId) => void shown.current.delete(waitingId);
}
