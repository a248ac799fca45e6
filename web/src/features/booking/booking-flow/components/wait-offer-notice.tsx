import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { usePracticeZone } from '@/lib/practice';
import { formatDate, formatTime, toDate } from '@/lib/time';
import { useServerNow } from '@/lib/use-server-now';
import { heldWords } from '../../shared/waiting-offer';
import type { WaitOffer } from '../hooks/use-wait-offer';

/** Until when the time of the wait list is held, or that it is not any more. */
export function WaitOfferNotice({ offer, isEnded, isWaiting }: WaitOffer) {
  const zone = usePracticeZone();
  const now = useServerNow();
  if (isEnded) {
    return (
      <Alert
        tone="warn"
        live
        title="That time is not held for you any more"
        action={
          <Button to="/account/waiting" variant="secondary" size="sm">
            Your wait list
          </Button>
        }
      >
        {isWaiting
          ? 'You are still on the wait list. Choose another time here, or wait for the next one.'
          : 'Choose another time here.'}
      </Alert>
    );
  }
  if (!offer?.startsAt || !offer.heldUntilAt) return null;
  const at = toDate(offer.startsAt);
  return (
    <Alert title={`Held for you until ${heldWords(toDate(offer.heldUntilAt), zone, now)}`}>
      {formatDate(at, zone)}, {formatTime(at, zone)}, from the wait list. Continue before then, and
      it is yours.
    </Alert>
  );
}
