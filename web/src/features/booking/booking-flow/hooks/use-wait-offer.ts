/** A time of the wait list that is held for the client who books it: others find it taken. */
import { useEffect } from 'react';
import { SessionMode } from '@/gen/booking/v1/booking_service_pb';
import type { WaitingOffer } from '@/gen/booking/v1/waiting_service_pb';
import { useServerNow } from '@/lib/use-server-now';
import type { BookingDraft } from '../../shared/hooks/use-draft';
import { useOwnWaiting } from '../../shared/hooks/use-own-waiting';
import { openOffer } from '../../shared/waiting-offer';

export type WaitOffer = {
  /** As long as it is held. */
  offer: WaitingOffer | undefined;
  /** It is not known yet whether it is held. */
  isUnknown: boolean;
  isEnded: boolean;
  /** The client waits for something. */
  isWaiting: boolean;
};

/** The way of the session is that of the wish, until the client chooses another one. */
export function useWaitOffer(
  offerId: string,
  userId: string | undefined,
  { setInPerson }: BookingDraft,
): WaitOffer {
  const { list } = useOwnWaiting(offerId ? userId : undefined);
  const now = useServerNow();
  const found = list?.find((one) => openOffer(one, now)?.offerId === offerId);
  const mode = found?.wish?.mode;
  useEffect(() => {
    if (mode !== undefined) setInPerson(mode === SessionMode.IN_PERSON);
  }, [mode, setInPerson]);
  return {
    offer: found?.offer,
    isUnknown: offerId !== '' && list === undefined,
    isEnded: offerId !== '' && list !== undefined && !found,
    isWaiting: list !== undefined && list.length > 0,
  };
}
