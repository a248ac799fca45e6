import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import type { HeldOffer } from '@/gen/booking/v1/booking_service_pb';
import { usePracticeZone } from '@/lib/practice';
import { toDate } from '@/lib/time';
import { heldWords } from '../../shared/waiting-offer';
import { shortTime } from '../refund-words';
import { OWN_WAITING } from '../wish';

type HeldOfferNoticeProps = { offer: HeldOffer; now: number };

/** That a time of the wait list is held for the client, as long as it is. */
export function HeldOfferNotice({ offer, now }: HeldOfferNoticeProps) {
  const zone = usePracticeZone();
  const { startsAt, heldUntilAt, serviceTitle } = offer;
  if (!startsAt || !heldUntilAt || toDate(heldUntilAt).getTime() <= now) return null;
  const when = shortTime(toDate(startsAt), zone);
  const until = heldWords(toDate(heldUntilAt), zone, now);
  return (
    <Alert
      tone="info"
      title={
        <span className="numeric">
          A time is held for you: {when} until {until}
        </span>
      }
      action={
        <Button to={OWN_WAITING} size="sm">
          See it on your wait list
        </Button>
      }
    >
      {serviceTitle}. If you don't take it, it goes to the next person.
    </Alert>
  );
}
